"""What the wrapper costs while its server runs: bytes on disk, memory, wake-ups."""

import os
import pathlib
import time

from figures import DUMB_INIT, SHELL_2S, TINI, CannotMeasure, Row
from lib import proc, rounds
from lib.world import World
from peers import await_all, find, first_seen, gate_lines, put_behind_shell, shell_settled_ns


def _binaries() -> Row:
    def size(path: str) -> float:
        return os.stat(os.path.realpath(path)).st_size / 1e6
    return Row("size of the program", "MB", size(proc.program("antifreeze-run")),
               {TINI: size(find("tini")), DUMB_INIT: size(find("dumb-init"))}, target=2.5, digits=3)


def _memory_mb(pids: list[int], field: str) -> float:
    """Sum of Rss or Pss over those processes."""
    total_kib = 0
    for pid in pids:
        for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith(field + ":"):
                total_kib += int(line.split()[1])
    return total_kib * 1024 / 1e6


def _switches(pids: list[int]) -> int:
    """How often those processes went to sleep so far: each wake-up ends with one."""
    total = 0
    for pid in pids:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches:"):
                total += int(line.split()[1])
    return total


def _set_up(world: World) -> dict[str, list[int]]:
    """One server behind each wrapper, ready, and one more queued behind a start that lasts. Their wrappers' pids."""
    gated = world.server("gated", gate={"settle": "0", "gather": "0"})
    shell, tini, dumb = (world.server(name, gated=False) for name in ("shell", "tini", "dumb"))
    put_behind_shell(world, shell, "2", "0")
    tini.prefix, dumb.prefix = [find("tini"), "-s", "--"], [find("dumb-init")]
    for server in world.servers:  # one by one: three of them have no gate, and would mis-size each other
        world.start(server)
        await_all(world, lambda name=server.name: name in first_seen(world, "serve"), 30)
    await_all(world, lambda: gate_lines(world, "ready") and shell_settled_ns(world, shell), 30)

    holder = world.server("holder", gate={"gather": "0", "hold-until-exit": True})
    queued = world.server("queued", gate={"gather": "0"})
    world.start(holder, [find("sleep"), "600"])
    world.until_state(holder, "starting")
    world.start(queued)
    world.until_state(queued, "queued")
    tree = rounds.find_tree(gated.process.pid)
    if rounds.KEEPER not in tree:
        raise CannotMeasure("the keeper of a ready server was not found")
    return {"ours": [tree[rounds.FRONT], tree[rounds.KEEPER]], "queued": [queued.process.pid], SHELL_2S: [shell.process.pid],
            TINI: [tini.process.pid], DUMB_INIT: [dumb.process.pid]}


def measure(quick: bool) -> list[Row]:
    seconds = 5 if quick else 20
    world = World(total="1000GiB")
    try:
        pids = _set_up(world)
        time.sleep(2)  # what follows a start within the first moments is no steady state
        before = {name: _switches(each) for name, each in pids.items()}
        begun = time.monotonic()
        time.sleep(seconds)
        took = time.monotonic() - begun
        rate = {name: (_switches(each) - before[name]) / took for name, each in pids.items()}
        peers = [SHELL_2S, TINI, DUMB_INIT]
        return [
            _binaries(),
            Row("resident memory once ready, Rss (front + keeper)", "MB", _memory_mb(pids["ours"], "Rss"),
                {name: _memory_mb(pids[name], "Rss") for name in peers}, target=3),
            Row("the same without what they share, Pss", "MB", _memory_mb(pids["ours"], "Pss"),
                {name: _memory_mb(pids[name], "Pss") for name in peers}),
            Row(f"wake-ups once ready (front + keeper, {seconds} s)", "1/s", rate["ours"], {name: rate[name] for name in peers},
                target=0.1),
            Row(f"wake-ups while queued ({seconds} s)", "1/s", rate["queued"], target=None),
        ]
    finally:
        world.close()
