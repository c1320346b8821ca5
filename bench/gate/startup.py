"""What the wrapper itself adds: until the command runs (fork, exec, gate directory, ticket, keeper), and over its whole life."""

import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable

from figures import DUMB_INIT, TINI, Row, median, percentile
from lib import proc
from peers import find, spawn_and_wait, spawn_until_output

OURS = "ours"
NAMES = (OURS, TINI, DUMB_INIT)
GATE = ["--gather", "0", "--settle", "0", "--ready", "none", "--gate-dir"]


def argv_of(name: str, gate_dir: str, command: list[str]) -> list[str]:
    if name == OURS:
        return [proc.program("antifreeze-run"), *GATE, gate_dir, "--", *command]
    return [find("tini"), "-s", "--", *command] if name == TINI else [find("dumb-init"), *command]


def over_bare(rounds: int, base: pathlib.Path, command: list[str], spawn: Callable) -> dict[str, list[tuple[float, ...]]]:
    """For each wrapper and round what `spawn` measures around `command`, less the bare command, in ms."""
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in NAMES}
    for index in range(rounds):
        fresh = base / str(index)
        fresh.mkdir(mode=0o1777)  # a new gate's directory is announced on stderr, which is not what is measured
        # Next to the others, so that all meet the machine in the same mood.
        bare = spawn(command)
        for name in NAMES:
            took = spawn(argv_of(name, str(fresh), command))
            found[name].append(tuple((with_it - without) * 1000 for with_it, without in zip(took, bare)))
        shutil.rmtree(fresh)
    return found


def row(what: str, found: dict, figure: Callable, part: int = 0, **more) -> Row:
    values = {name: figure([each[part] for each in found[name]]) for name in NAMES}
    return Row(what, "ms", values[OURS], {name: values[name] for name in (TINI, DUMB_INIT)}, **more)


def measure(quick: bool) -> list[Row]:
    rounds = 30 if quick else 300
    base = pathlib.Path(tempfile.mkdtemp(prefix="af-bench-", dir="/dev/shm"))
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        (base / "start").mkdir()
        start = over_bare(rounds, base / "start", [find("printf"), "x"], lambda argv: (spawn_until_output(argv, sink),))
        (base / "life").mkdir()
        life = over_bare(rounds, base / "life", [find("true")], lambda argv: spawn_and_wait(argv, sink))
    finally:
        os.close(sink)
        shutil.rmtree(base, ignore_errors=True)
    return [
        row(f"start-up: spawn to the command's first byte, more than the bare command, median (N={rounds})", start, median,
            target=2),
        row("the same, 99th percentile", start, lambda values: percentile(values, 99)),
        row(f"whole life: spawn to the wrapper's end, more than the bare command, median (N={rounds})", life, median),
        row("the same, 99th percentile", life, lambda values: percentile(values, 99)),
        row("the same in CPU time, which other load disturbs less, median", life, median, part=1),
    ]
