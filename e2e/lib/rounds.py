"""Randomised rounds: eight servers, a storm of starts, and accidents. The seed decides everything but the scheduling."""

import random
import signal
import time
from dataclasses import dataclass, field

from lib import oracle, proc
from lib.observer import Observer
from lib.world import GATHER_MS, MS, SETTLE_MS, Server, World, uuid

SERVERS = 8
ROUND_LIMIT_S = 20  # a hang; an undisturbed round takes a second and a half
GPUS = 4
KINDS = ["storm"] * 6 + ["kill"] * 5 + ["crash"] * 3 + ["term"] * 3 + ["gpus"] * 3

# What a process tree is made of, from the wrapper down.
FRONT, KEEPER, SERVER, ENGINE = "front", "keeper", "server", "engine"
PHASES = ["import", "init_device", "load", "profile", "kv", "settling", "granted"]


@dataclass
class Accident:
    """Once `service` is seen in `phase` (of journal or gate log), and `delay` s later, `what` happens to it."""

    service: str
    phase: str
    what: str
    delay: float
    again: bool = False  # a restarter starts it anew
    due: float | None = None
    done: bool = False


@dataclass
class Round:
    kind: str
    world: World
    servers: list[Server]
    jitter: dict[str, float]
    accidents: list[Accident] = field(default_factory=list)
    gather_ms: int = GATHER_MS
    disturbed: bool = False  # a serving neighbour gave memory back while others started: sizes may be off, rightly
    seconds: float = 0

    def server(self, name: str) -> Server:
        return next(server for server in self.servers if server.name == name)


def build(world: World, rng: random.Random, kind: str) -> Round:
    servers = []
    for index in range(SERVERS):
        server = world.server(f"s{index}", priority=rng.choice([-2, -1, 0, 0, 1, 2]), util=rng.choice([0.08, 0.1, 0.12]))
        server.fake |= {"load-ms": rng.choice([10, 20, 30]), "profile-ms": rng.choice([5, 10, 15])}
        if kind == "gpus":
            gpus = sorted(rng.sample(range(GPUS), rng.choice([1, 1, 1, 2])))
            server.gate |= {"domain": "gpu:" + ",".join(uuid(gpu) for gpu in rng.sample(gpus, len(gpus))), "on-short": "start"}
            server.fake |= {"gpu": ",".join(map(str, gpus))}
            server.engine_args = ["--tensor-parallel-size", str(len(gpus))]
        servers.append(server)
    spread = rng.choice([0.0, 0.01, 0.04, 0.3])
    made = Round(kind, world, servers, {server.name: rng.uniform(0, spread) for server in servers})
    if kind == "storm" and rng.random() < 0.25:
        made.gather_ms = 0  # then a better one may arrive in the very moment of a grant
    for server in servers:
        server.gate["gather"] = f"{made.gather_ms}ms"
    victims = rng.sample([server.name for server in servers], 2)
    if kind == "kill":
        for name in victims:
            what = rng.choice([FRONT, KEEPER, SERVER, ENGINE, "both"])
            made.accidents.append(Accident(name, rng.choice(PHASES), what, rng.choice([0, 0.003, 0.01]), rng.random() < 0.5))
    elif kind == "term":
        made.accidents = [Accident(name, rng.choice(["queued", *PHASES]), "term", rng.choice([0, 0.005]), rng.random() < 0.5)
                          for name in victims]
    elif kind == "crash":
        for name in victims:
            made.server(name).fake |= {"crash": f"{rng.choice([2, 3, 4, 5, 6])}:{rng.choice(['exit', 'signal'])}:times=1"}
            made.accidents.append(Accident(name, "exited", "restart", 0.0, True))
    return made


def play(one: Round, observe: bool = False) -> Round:
    """Starts everything, lets the accidents happen, returns when all that should be ready are."""
    begin = time.monotonic()
    ports = {server.name: server.port for server in one.servers}
    observer = Observer(ports) if observe else None
    if observer:
        observer.__enter__()
    try:
        to_start = sorted(one.servers, key=lambda server: one.jitter[server.name])
        while True:
            now = time.monotonic() - begin
            while to_start and one.jitter[to_start[0].name] <= now:
                one.world.start(to_start.pop(0))
            step(one)
            if not to_start and is_over(one):
                break
            if now > ROUND_LIMIT_S:
                raise proc.TooLate(f"the round hangs: {one.world.report()}")
            time.sleep(0.006)
    finally:
        if observer:
            observer.__exit__()
    one.seconds = time.monotonic() - begin
    if observer:
        observer.check()
    return one


def step(one: Round) -> None:
    pending = [accident for accident in one.accidents if not accident.done]
    if not pending:
        return
    now = time.monotonic()
    log, journal = one.world.log(), one.world.journal()
    for accident in pending:
        name = accident.service
        if accident.due is None:
            seen = log.first(name, accident.phase) or next(
                (line for line in journal if line["svc"] == name and line["phase"] == accident.phase), None)
            if seen:
                accident.due = now + accident.delay
        if accident.due is not None and now >= accident.due:
            happen(one, accident)


def happen(one: Round, accident: Accident) -> None:
    server = one.server(accident.service)
    accident.done = True
    one.disturbed |= one.world.log().first(server.name, "ready") is not None
    front = server.process.pid
    tree = find_tree(front)
    if accident.what == "term":
        proc.kill(front, signal.SIGTERM)
    elif accident.what == "both":
        for role in (FRONT, KEEPER):
            if role in tree:
                proc.kill(tree[role])
        time.sleep(0.02)
        kill_orphans(server)
    elif accident.what != "restart":
        proc.kill(tree.get(accident.what, front))
    if accident.again:
        proc.until(lambda: server.process.poll() is not None, 5, lambda: f"{server.name} ends; {one.world.report()}")
        one.disturbed |= one.world.log().first(server.name, "ready") is not None
        one.world.start(server)


def kill_orphans(server: Server) -> None:
    """What a container or a unit would take with the wrapper, but a bare host does not, whenever it was forked."""
    for pid in proc.all_pids():
        words = proc.cmdline(pid)
        if "--fake-svc" in words and words[words.index("--fake-svc") + 1] == server.name and str(server.port) in words:
            # The engine first, and gone: its successor looks for the parent, whose environment still names the ticket.
            below = freeze(pid)
            for each in below:
                proc.kill(each)
            proc.until(lambda: not any(proc.is_running(each) for each in below), 5, "engines that end")  # noqa: B023
            proc.kill(pid)


def freeze(root: int) -> list[int]:
    """Stops a whole tree and names what is below its root. A child forked while one looks would get away otherwise."""
    proc.kill(root, signal.SIGSTOP)
    below: list[int] = []

    def same_as_before() -> bool:
        nonlocal below
        before, below = below, proc.descendants(root)
        for each in below:
            proc.kill(each, signal.SIGSTOP)
        states = [(proc.stat_fields(each) or "X")[0] for each in [root, *below]]
        return before == below and all(state in "TtZXD" for state in states)  # D: waits for a child of vfork(2)
    proc.until(same_as_before, 5, "a tree that stands still", every=0.001)
    return below


def find_tree(front: int) -> dict[str, int]:
    """Roles of the processes below a wrapper, as far as they exist yet."""
    tree = {FRONT: front}
    children = proc.children_map()
    for pid in children.get(front, []):
        if proc.comm(pid) == "af-keeper":
            tree[KEEPER] = pid
            for server in children.get(pid, [])[:1]:
                tree[SERVER] = server
                for engine in children.get(server, [])[:1]:
                    tree[ENGINE] = engine
    return tree


def is_over(one: Round) -> bool:
    """Every server that runs was called ready, and every accident whose moment came has happened."""
    log = one.world.log()
    ended = {accident.service for accident in one.accidents}
    for server in one.servers:
        code = server.process.poll()
        if code is not None:
            if server.name not in ended and not one.disturbed:
                raise oracle.Violation(f"{server.name} exited with {code}: {one.world.report()}")
            if any(a.service == server.name and not a.done for a in one.accidents):
                return False
            continue
        ready = log.last(server.name, "ready")
        own = [line for line in log.of(server.name) if line["pid"] == server.process.pid]
        if not ready or ready not in own:
            return False
    return True


def check(one: Round) -> None:
    """Everything that the journal and the log of a round must show."""
    log, attempts = one.world.log(), one.world.attempts()
    domains = {server.name: set(server.gate.get("domain", "gpu:all").removeprefix("gpu:").split(",")) for server in one.servers}

    def conflict(a: str, b: str) -> bool:
        return bool(domains[a] & domains[b])
    oracle.check_windows(attempts, SETTLE_MS * MS, lambda a, b: conflict(a.service, b.service))
    oracle.check_order(log, one.gather_ms * MS, lambda a, b: conflict(a["service"], b["service"]))
    if one.kind == "storm":
        oracle.check_priorities(log, {server.name: server.priority for server in one.servers}, one.gather_ms * MS)
        oracle.check_total(log, attempts, SETTLE_MS * MS, one.gather_ms * MS)
    if one.kind in ("storm", "crash") or not one.disturbed:
        oracle.check_no_failures(attempts)
        running = {server.name for server in one.servers if server.process.poll() is None}
        if one.kind != "gpus":
            oracle.check_kv(attempts, {server.name: server.kv_alone() for server in one.servers if server.name in running})


def run(world: World, seed: int, kind: str | None = None, observe: bool = False, wrapper: str = "antifreeze-run",
        env: dict | None = None) -> Round:
    """One round, checked. Raises oracle.Violation when the gate broke its promise."""
    rng = random.Random(seed)
    kind = kind or rng.choice(KINDS)
    one = build(world, rng, kind)
    for server in one.servers:
        server.wrapper = wrapper
        server.env |= env or {}
    play(one, observe and kind != "gpus")  # disjoint GPUs may start at once
    try:
        check(one)
    except oracle.Violation as violation:
        raise oracle.Violation(f"{violation}\nround {seed}, {kind}: {one.accidents}\n{timeline(world)}") from None
    return one


def timeline(world: World) -> str:
    """Gate log and journal in one, ms from the first arrival: what a person needs to judge a violation."""
    events = [(line["boottime_ns"], line["service"], line["state"], line["reason"]) for line in world.log().lines]
    events += [(line["boot_ns"], line["svc"], "  " + line["phase"], f"{line['role']} {line.get('dead_pid', line['pid'])}")
               for line in world.journal()]
    events.sort()
    return "\n".join(f"{(at - events[0][0]) / MS:9.2f} {name:5} {what:14} {more}" for at, name, what, more in events)
