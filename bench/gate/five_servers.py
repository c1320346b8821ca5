"""Five servers that are all asked for at once: how long until all are healthy, against the sum of their own times."""

import time

from figures import SHELL_1S, SHELL_2S, Row
from lib.world import Server, World
from peers import await_all, first_seen, gate_lines, put_behind_shell, shell_settled_ns

SETTLE_MS = 1000
# Start-up times of a second to three; in nature they are thirty times as long, and what a wrapper adds weighs less.
LOAD_MS = {"chat": 2800, "finetuned": 2200, "vision": 1900, "rerank": 1300, "embed": 900}


def _world() -> World:
    world = World(total="1000GiB")
    for name, load in LOAD_MS.items():
        world.server(name, fake={"load-ms": load}, gate={"gather": "0", "settle": f"{SETTLE_MS}ms"})
    return world


def _alone() -> float:
    """Seconds: each server's own start, one by one and without any wrapper, and the settle time, summed up."""
    total_ns = 0
    world = _world()
    try:
        for server in world.servers:
            server.gated = False
            begun = time.monotonic_ns()
            world.start(server)
            await_all(world, lambda name=server.name: name in first_seen(world, "serve"), 30)
            total_ns += first_seen(world, "serve")[server.name] - begun + SETTLE_MS * 1_000_000
    finally:
        world.close()
    return total_ns / 1e9


def _together(prepare, settled) -> float:
    """Seconds from the first start to the last server being settled."""
    world = _world()
    try:
        for server in world.servers:
            prepare(world, server)
        begun = time.monotonic_ns()
        for server in world.servers:
            world.start(server)
        await_all(world, lambda: all(settled(world, server) for server in world.servers), 120)
        return (max(settled(world, server) for server in world.servers) - begun) / 1e9
    finally:
        world.close()


def _shell(interval: str) -> float:
    def prepare(world: World, server: Server) -> None:
        put_behind_shell(world, server, interval, str(SETTLE_MS / 1000))
    return _together(prepare, shell_settled_ns)


def measure(quick: bool) -> list[Row]:
    del quick  # there is nothing to shorten that would leave the ratio as it is
    before = _alone()
    ours = _together(lambda world, server: None, lambda world, server: gate_lines(world, "ready").get(server.name))
    alone = (before + _alone()) / 2  # from both sides of it, because the machine's mood changes within a minute
    shell_1s, shell_2s = _shell("1"), _shell("2")
    return [
        Row(f"five servers until all healthy, against the sum of start + settle one by one ({alone:.2f} s)", "ratio",
            ours / alone, {SHELL_1S: shell_1s / alone, SHELL_2S: shell_2s / alone}, target=1.05, digits=3),
        Row("the same in seconds", "s", ours, {SHELL_1S: shell_1s, SHELL_2S: shell_2s}),
    ]
