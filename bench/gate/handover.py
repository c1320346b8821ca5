"""From one server's start being over to the next one's exec."""

import random

from figures import SHELL_1S, SHELL_2S, Row, median, percentile
from lib.world import World
from peers import await_all, first_seen, gate_lines, put_behind_shell, shell_settled_ns

SETTLE_MS = 100
MS = 1_000_000
SEED = 7


def _world() -> World:
    return World(total="1000GiB")


def _add(world: World, count: int, load_ms: list[int]) -> None:
    for index in range(count):
        world.server(f"s{index:02}", util=0.02, fake={"load-ms": load_ms[index]},
                     gate={"gather": "0", "settle": f"{SETTLE_MS}ms"})


def _chain(order: dict[str, int], begin: dict[str, int], end: dict[str, int], plus_ns: int = 0) -> list[float]:
    """Milliseconds from each server's `end` to the `begin` of the one that started after it."""
    names = sorted(order, key=order.get)
    return [(begin[after] - end[before] - plus_ns) / MS for before, after in zip(names, names[1:])]


def _through_gate(load_ms: list[int]) -> tuple[list[float], list[float], list[float]]:
    """From the log's ready line to the next exec; from the server's own readiness plus the settle time to the same; and
    from the log's ready line to the next one being granted."""
    world = _world()
    try:
        _add(world, len(load_ms), load_ms)
        for server in world.servers:
            world.start(server)
        await_all(world, lambda: len(gate_lines(world, "ready")) == len(load_ms), 30 + sum(load_ms) / 250)
        execs = first_seen(world, "import")
        return (_chain(execs, execs, gate_lines(world, "ready")),
                _chain(execs, execs, first_seen(world, "serve"), SETTLE_MS * MS),
                _chain(execs, gate_lines(world, "granted"), gate_lines(world, "ready")))
    finally:
        world.close()


def _through_shell(load_ms: list[int], interval_s: int) -> tuple[list[float], list[float]]:
    """The same for the shell wrapper, which calls it settled when its sleep is over."""
    world = _world()
    try:
        _add(world, len(load_ms), load_ms)
        for server in world.servers:
            put_behind_shell(world, server, str(interval_s), str(SETTLE_MS / 1000))
            world.start(server)
        limit = 30 + len(load_ms) * (interval_s + 1) + sum(load_ms) / 500
        await_all(world, lambda: all(shell_settled_ns(world, server) for server in world.servers), limit)
        execs = first_seen(world, "import")
        settled = {server.name: shell_settled_ns(world, server) for server in world.servers}
        return _chain(execs, execs, settled), _chain(execs, execs, first_seen(world, "serve"), SETTLE_MS * MS)
    finally:
        world.close()


def measure(quick: bool) -> list[Row]:
    rng = random.Random(SEED)
    rounds, slow_starts = (2, 6) if quick else (10, 21)
    handovers: list[float] = []
    grants: list[float] = []
    for _ in range(rounds):
        to_exec, _, to_grant = _through_gate([rng.randint(20, 100) for _ in range(21)])
        handovers += to_exec
        grants += to_grant

    # The shell notices a healthy server at its next question: starts of many lengths show all of what that costs.
    load_ms = [rng.randint(200, 2200) for _ in range(slow_starts)]
    ours = _through_gate(load_ms)[1]
    shell_1s, shell_2s = _through_shell(load_ms, 1), _through_shell(load_ms, 2)
    n, m = len(handovers), len(ours)
    return [
        Row(f"hand-over: called settled to the next exec, median (N={n}, shell N={m})", "ms", median(handovers),
            {SHELL_1S: median(shell_1s[0]), SHELL_2S: median(shell_2s[0])}, target=20, digits=1),
        Row("the same, 99th percentile", "ms", percentile(handovers, 99),
            {SHELL_1S: percentile(shell_1s[0], 99), SHELL_2S: percentile(shell_2s[0], 99)}, digits=1),
        Row("of which until the next one is granted, median", "ms", median(grants), digits=1),
        Row(f"hand-over: healthy + settle time to the next exec, median (N={m})", "ms", median(ours),
            {SHELL_1S: median(shell_1s[1]), SHELL_2S: median(shell_2s[1])}, digits=1),
        Row("the same, longest", "ms", max(ours), {SHELL_1S: max(shell_1s[1]), SHELL_2S: max(shell_2s[1])}, digits=1),
    ]
