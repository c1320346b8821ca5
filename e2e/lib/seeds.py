"""How many rounds are played, and which."""

import os

LONG = bool(os.environ.get("AF_LONG"))


def seeds(normal: int, long: int) -> list[int]:
    """Fixed seeds of a randomised test; AF_SEED picks one of them, to run a failure again."""
    if os.environ.get("AF_SEED"):
        return [int(os.environ["AF_SEED"])]
    return list(range(1, (long if LONG else normal) + 1))
