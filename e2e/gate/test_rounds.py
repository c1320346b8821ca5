"""Randomised rounds of eight servers (S1, S3, S6, S7, S12 and overlapping GPU sets). One seed is one test:

    pytest e2e/gate/test_rounds.py -k 'seed-17]'        or        AF_SEED=17 pytest e2e/gate/test_rounds.py
"""

import os
import random
import statistics

import pytest

from lib import rounds
from lib.seeds import seeds
from lib.world import World

_seconds: list[float] = []
_kinds: list[str] = []


@pytest.fixture
def machine(request):
    kind = random.Random(request.getfixturevalue("seed")).choice(rounds.KINDS)
    made = World(gpus=rounds.GPUS if kind == "gpus" else 1)
    yield made
    made.close()


@pytest.mark.parametrize("seed", seeds(200, 1000), ids=lambda seed: f"seed-{seed}")
def test_round(machine, seed):
    one = rounds.run(machine, seed, observe=seed % 5 == 0)
    _seconds.append(one.seconds)
    _kinds.append(one.kind)


def test_rounds_are_quick_and_of_all_kinds():
    """Runs last: how many rounds of which kind were played, and how long they took."""
    if not _seconds:
        pytest.skip("no round was run before this one")
    counts = {kind: _kinds.count(kind) for kind in sorted(set(_kinds))}
    print(f"\n{len(_seconds)} rounds {counts}: median {statistics.median(_seconds):.2f} s, longest {max(_seconds):.2f} s")
    # On a machine that is busy with other things every hand-over waits for a processor: then this says nothing.
    if os.getloadavg()[0] < 3 * (os.cpu_count() or 1):
        assert statistics.median(_seconds) < 2, "rounds are to take less than two seconds"
    if len(_seconds) >= 100:
        assert set(counts) == set(rounds.KINDS)
