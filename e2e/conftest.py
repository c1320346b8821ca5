"""Shared by all end-to-end tests. AF_BIN: folder of the programs; AF_LONG=1: long runs in full; AF_SEED=N: that seed only."""

import collections
import pathlib
import signal
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from lib import proc  # noqa: E402
from lib.world import World  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def _nothing_stays_behind():
    proc.become_subreaper()
    # A shell that starts this in the background, or nohup, has them ignored, and what is ignored stays so below us.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    proc.sweep()


@pytest.fixture
def world():
    made = World()
    yield made
    made.close()


@pytest.fixture
def make_world():
    """For tests that need another device, or several machines."""
    made: list[World] = []

    def make(**device) -> World:
        made.append(World(**device))
        return made[-1]
    yield make
    for one in made:
        one.close()


_seconds: dict[str, float] = collections.defaultdict(float)
_count: dict[str, int] = collections.Counter()


def pytest_runtest_logreport(report):
    group = report.nodeid.split("::")[0]
    _seconds[group] += report.duration
    if report.when == "call":
        _count[group] += 1


def pytest_terminal_summary(terminalreporter):
    terminalreporter.section("time of each group")
    for group, seconds in sorted(_seconds.items(), key=lambda item: -item[1]):
        terminalreporter.write_line(f"{seconds:8.1f} s  {_count[group]:5} tests  {group}")
