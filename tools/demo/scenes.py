"""The two rounds of the demo: five simulated servers restarted at once, without and with antifreeze-run in front.

What came of a round is read from what the servers themselves wrote (fakevllm's journal) and, with the gate, from the
gate's event log.
"""

import pathlib
import random
import re
import shutil
import sys
import time
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "e2e"))

from chart import FAILED, SERVING, SETTLING, SHORT, STARTING, WAITING  # noqa: E402
from lib import http, oracle, proc  # noqa: E402
from lib.world import Server, World  # noqa: E402

GIB = 1 << 30
NS = 1_000_000_000
TOTAL_GIB = 120
SETTLE_FLOOR_MS = 300  # 3 s in earnest; everything in the demo is about thirty times as fast as life
NOT_WITHIN_S = 25      # a round takes two seconds without the gate and nine with it


@dataclass
class Plan:
    """One of the five: what it does, its share of the machine, and what of that goes into weights and work space."""

    name: str
    what: str
    util: float
    weights_gib: float
    peak_gib: float
    load_ms: int
    priority: int

    def share_gib(self) -> float:
        return TOTAL_GIB * self.util


PLANS = [
    Plan("chat", "a large language model", 0.35, 16, 2.0, 500, 5),
    Plan("finetuned", "your own, smaller one", 0.20, 8, 1.5, 900, 3),
    Plan("vision", "looks at pictures", 0.15, 7, 2.0, 800, 0),
    Plan("rerank", "sorts search results", 0.06, 2, 0.7, 350, 0),
    Plan("embed", "text to vectors", 0.06, 2, 0.7, 350, 0),
]


@dataclass
class Outcome:
    """What became of one server. Seconds count from the moment at which all five were started."""

    name: str
    wanted: int                     # bytes of KV cache that it gets when nobody disturbs it
    got: int | None = None          # bytes of KV cache that it sized; None: it did not get that far
    up_at: float | None = None      # healthy and, with the gate, settled
    begun_at: float | None = None   # its process was started
    error: str = ""                 # why it failed, in the engine's own words where there are any
    spans: list[tuple[float, float, str]] = field(default_factory=list)

    def came_up(self) -> bool:
        return self.up_at is not None and not self.error

    def missized(self) -> bool:
        """Up, with more than a hundredth more or less than it should have: nobody tells."""
        return self.came_up() and self.got is not None and abs(self.got - self.wanted) > self.wanted / 100

    def took(self) -> float | None:
        return None if self.up_at is None or self.begun_at is None else self.up_at - self.begun_at


@dataclass
class Round:
    outcomes: list[Outcome]
    seconds: float
    problem: str = ""  # why the round is not what it should be: windows that overlap, a server that never came up

    def collided(self) -> bool:
        return any(not outcome.came_up() or outcome.missized() for outcome in self.outcomes)

    def all_right(self) -> bool:
        return not self.problem and all(outcome.came_up() and not outcome.missized() for outcome in self.outcomes)


def _servers(world: World, rng: random.Random, gated: bool) -> list[Server]:
    for plan in PLANS:
        fake = {"import-ms": 120, "load-ms": round(plan.load_ms * rng.uniform(0.9, 1.1)), "load-steps": 8, "profile-ms": 180,
                "graph-ms": 80, "weights": f"{plan.weights_gib}GiB", "peak": f"{plan.peak_gib}GiB"}
        world.server(plan.name, util=plan.util, priority=plan.priority, fake=fake, gated=gated,
                     gate={"settle": "auto", "settle-floor": f"{SETTLE_FLOOR_MS}ms", "settle-cap": "3s", "gather": "300ms"})
    return world.servers


def play(seed: int, gated: bool, tell, record: pathlib.Path | None = None) -> Round:
    """One round. `tell(outcome)` hears of each server once it is up or has failed; `record` gets copies of the journals."""
    rng = random.Random(seed)
    world = World(total=f"{TOTAL_GIB}GiB")
    try:
        servers = _servers(world, rng, gated)
        begun = time.monotonic_ns()
        for server in servers:
            world.start(server)
            time.sleep(rng.uniform(0, 0.03))  # a restart is never quite at once
        problem = _watch(world, begun, tell)
        outcomes = [_outcome(world, server, begun) for server in servers]
        healthy = {server.name for server in servers if http.healthy(server.port)}
        for outcome in outcomes:
            if outcome.came_up() and outcome.name not in healthy:
                outcome.error = "it stopped answering"
        if gated and not problem:
            problem = _overlap(world)
        return Round(outcomes, (time.monotonic_ns() - begun) / NS, problem)
    finally:
        if record:
            _record(world, record)
        world.close()


def _watch(world: World, begun: int, tell) -> str:
    """Until each server is up or has ended. Anything else after NOT_WITHIN_S is the problem that is returned."""
    told: set[str] = set()

    def look() -> bool:
        for server in world.servers:
            if server.name in told:
                continue
            outcome = _outcome(world, server, begun)
            if outcome.up_at is not None or outcome.error:
                told.add(server.name)
                tell(outcome)
            if outcome.error and server.gated:
                return True  # the round is lost: nothing fails behind the gate
        return len(told) == len(world.servers)
    try:
        proc.until(look, NOT_WITHIN_S, "", every=0.05)
        return ""
    except proc.TooLate:
        late = [server.name for server in world.servers if server.name not in told]
        return f"{', '.join(late)} neither came up nor ended within {NOT_WITHIN_S} s"


def _overlap(world: World) -> str:
    """Two servers that sized themselves at the same time, by the servers' own journal; empty when there are none."""
    try:
        oracle.check_windows(world.attempts(), SETTLE_FLOOR_MS * 1_000_000)
        return ""
    except oracle.Violation as violation:
        return str(violation)


def _outcome(world: World, server: Server, begun: int) -> Outcome:
    plan = next(plan for plan in PLANS if plan.name == server.name)
    outcome = Outcome(plan.name, server.kv_alone(TOTAL_GIB))
    code = server.process.poll()
    seen: dict[str, float] = {}
    for line in world.journal():
        if line["svc"] == server.name:
            seen.setdefault(f"{line['role']} {line['phase']}", (line["mono_ns"] - begun) / NS)
            if line["phase"] == "size":
                outcome.got = line["kv"]
    outcome.begun_at = seen.get("parent import")
    if code is not None:
        outcome.error = error_line(world.stderr(server)) or f"it ended with exit code {code}"
    if server.gated:
        _spans_of_gate(world, outcome, begun)
    else:
        _spans_of_journal(outcome, seen)
    return outcome


def _spans_of_journal(outcome: Outcome, seen: dict[str, float]) -> None:
    """Without the gate there is the servers' own journal only."""
    begun, serve, end = outcome.begun_at, seen.get("parent serve"), seen.get("parent exit")
    if begun is None:
        return
    outcome.up_at = serve
    if outcome.error and end is not None:
        outcome.spans = [(begun, end, STARTING), (end, end, FAILED)]
    elif serve is not None:
        outcome.spans = [(begun, serve, STARTING), (serve, float("inf"), SHORT if outcome.missized() else SERVING)]


def _spans_of_gate(world: World, outcome: Outcome, begun: int) -> None:
    marks = {"queued": WAITING, "granted": STARTING, "reclaiming": WAITING, "starting": STARTING, "settling": SETTLING,
             "ready": SHORT if outcome.missized() else SERVING, "exited": FAILED, "held": FAILED}
    boot_less_mono = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()
    points: list[tuple[float, str]] = []
    for line in world.log().of(outcome.name):
        at = (line["boottime_ns"] - boot_less_mono - begun) / NS
        if line["state"] in marks:
            points.append((at, marks[line["state"]]))
        if line["state"] == "ready":
            outcome.up_at = at
    for (at, mark), following in zip(points, [*points[1:], (float("inf"), "")]):
        outcome.spans.append((at, at if mark == FAILED else following[0], mark))


ENGINE_PREFIX = re.compile(r"^\([^)]*\)\s*(ERROR|INFO|WARNING)?\s*[\d\- :]*(\[[^\]]*\])?\s*")
ERROR = re.compile(r"(ValueError|AssertionError|RuntimeError|OSError|torch\.\w+|OutOfMemoryError): ")


def error_line(text: str) -> str:
    """The first sentence of what the engine itself gave as the reason, without what its logger puts in front."""
    for line in text.splitlines():
        bare = ENGINE_PREFIX.sub("", line)
        if ERROR.match(bare):
            return ERROR.sub("", bare).split(". ")[0].rstrip(".") + "."
    return ""


def _record(world: World, record: pathlib.Path) -> None:
    record.mkdir(parents=True, exist_ok=True)
    (record / "machine").write_text(f"{world.dir}\n")  # where it all happened; gone once the demo is over
    for path in (world.gpu_dir / "journal.jsonl", world.gate_dir / "log.jsonl", *world.dir.glob("*.err")):
        if path.exists():
            shutil.copy(path, record)
