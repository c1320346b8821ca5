"""Port numbers that nothing listens on, below the range that the kernel hands out by itself."""

import itertools
import os
import socket

_LOW, _HIGH = 20000, 32000
_next = itertools.count(os.getpid() * 97 % (_HIGH - _LOW))


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))
            return True
        except OSError:
            return False


def free_port() -> int:
    """Never the same twice in one run, so that nothing of an earlier round can answer in a later one."""
    for _ in range(_HIGH - _LOW):
        port = _LOW + next(_next) % (_HIGH - _LOW)
        if is_free(port):
            return port
    raise AssertionError("no free port")
