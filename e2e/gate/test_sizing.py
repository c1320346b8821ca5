"""S1–S4, S10, S11 of the scenarios: what servers believe to be theirs when others start, stop and move beside them."""

import json
import subprocess

import pytest

from lib import oracle, proc
from lib.world import MS, SETTLE_MS, Server, World

UNIT_MS = 80


def two(world: World, b_util: float = 0.30, gated: bool = True) -> tuple[Server, Server]:
    """A and B of the scenarios' formula check: shares, weights and times as there, one unit 80 ms.

    B profiles a third of a unit longer, so that A's sixth eighth of the load falls into B's window without a race.
    """
    a = world.server("A", util=0.40, priority=1, gated=gated)
    a.fake |= {"weights": "20GiB", "peak": "2GiB", "load-ms": 4 * UNIT_MS, "load-steps": 8, "profile-ms": UNIT_MS}
    b = world.server("B", util=b_util, gated=gated)
    b.fake |= {"weights": "10GiB", "peak": "1GiB", "load-ms": 2 * UNIT_MS, "profile-ms": UNIT_MS * 4 // 3}
    return a, b


def sized(world: World, *servers: Server) -> dict[str, float | None]:
    return {a.service: a.kv / 2**30 for a in world.attempts() if a.kv is not None and a.service in {s.name for s in servers}}


def until_sized_or_gone(world: World, *servers: Server) -> None:
    def look():
        ready = {line["svc"] for line in world.journal() if line["phase"] == "serve"}
        return all(server.name in ready or server.process.poll() is not None for server in servers)
    proc.until(look, 10, world.report)


def test_s1_one_after_the_other_gives_the_sizes_of_the_formula(world):
    a, b = two(world, gated=False)
    world.start(a)
    until_sized_or_gone(world, a)
    world.start(b)
    until_sized_or_gone(world, a, b)
    assert sized(world, a, b) == {"A": pytest.approx(17.7, abs=0.001), "B": pytest.approx(18.7, abs=0.001)}


def test_s2_at_once_without_the_gate_both_start_and_both_are_wrong(world):
    a, b = two(world, gated=False)
    world.start(a)
    world.start(b)
    until_sized_or_gone(world, a, b)
    sizes = sized(world, a, b)
    assert sizes["A"] < 17 and sizes["B"] < 18, "the collision is what the gate is for: it must be there without it"


def test_s2_at_once_with_the_gate_both_are_right_to_the_byte(world):
    a, b = two(world)
    for server in (a, b):
        world.start(server)
    world.until_ready()
    oracle.check_kv(world.attempts(), {"A": a.kv_alone(), "B": b.kv_alone()})
    oracle.check_windows(world.attempts(), SETTLE_MS * MS)
    assert sized(world, a, b) == {"A": pytest.approx(17.7, abs=0.001), "B": pytest.approx(18.7, abs=0.001)}


def test_s3_a_small_share_fails_without_the_gate(world):
    a, b = two(world, b_util=0.25, gated=False)
    world.start(a)
    world.start(b)
    assert proc.wait(b.process, 10) == 1
    assert "No available memory for the cache blocks" in world.stderr(b)


def test_s3_a_small_share_is_right_with_the_gate(world):
    a, b = two(world, b_util=0.25)
    for server in (a, b):
        world.start(server)
    world.until_ready()
    oracle.check_kv(world.attempts(), {"A": a.kv_alone(), "B": b.kv_alone()})
    oracle.check_no_failures(world.attempts())


def test_s4_a_serving_neighbours_exit_fails_the_start_and_the_next_try_succeeds(world):
    """The gate cannot keep a serving neighbour from leaving: it records it, counts the failure and tries again."""
    c = world.server("C", util=0.12, fake={"weights": "5GiB"})
    world.start(c)
    world.until_ready([c])
    a = world.server("A", util=0.40, fake={"weights": "5GiB", "profile-ms": 300}, gate={"backoff": "150ms"})
    world.start(a)
    world.until_phase(a, "profiling")
    proc.kill(c.process.pid, 15)
    assert proc.wait(a.process, 10) == 1
    failed = next(attempt for attempt in world.attempts() if attempt.service == "A")
    assert failed.failure == "B", world.report()
    starting, ended = world.log().first("A", "starting"), world.log().first("A", "exited")
    left = world.log().first("C", "exited")
    assert starting["boottime_ns"] < left["boottime_ns"] < ended["boottime_ns"], "the neighbour's exit is not on record"
    assert ended["exit_code"] == 1
    world.start(a)  # as dockerd or systemd would
    proc.until(lambda: world.log().first("A", "ready"), 10, world.report)
    again = world.log().last("A", "starting")
    assert again["boottime_ns"] - ended["boottime_ns"] >= 145 * MS, "the back-off was not kept"
    oracle.check_kv(world.attempts(), {"A": a.kv_alone()})


def test_s4_the_failure_is_explained_by_the_neighbour_that_left(world):
    c = world.server("C", util=0.12, fake={"weights": "5GiB"})
    world.start(c)
    world.until_ready([c])
    a = world.server("A", util=0.40, fake={"weights": "5GiB", "profile-ms": 300})
    world.start(a)
    world.until_phase(a, "profiling")
    proc.kill(c.process.pid, 15)
    proc.wait(a.process, 10)
    ours = [line for line in world.stderr(a).splitlines() if line.startswith("antifreeze:")]
    assert any("C" in line.split() or "'C'" in line or "C ended" in line for line in ours[-4:]), "\n".join(ours)


# Memory that goes on moving after /health says 200: 3 GiB come back once the next one has taken its first look and
# before it takes its second. One step only, so that it does not matter how soon that one starts.
MOVING = {"settle": "-3GiB@0.5s"}


def start_behind_a_moving_one(world: World, settle: dict) -> tuple[Server, Server]:
    a = world.server("A", util=0.3, priority=1, fake=MOVING, gate=settle)
    b = world.server("B", util=0.3, fake={"load-ms": 400, "profile-ms": 400}, gate=settle)
    for server in (a, b):
        world.start(server)
    until_sized_or_gone(world, a, b)
    return a, b


def test_s10_without_settling_the_next_one_is_mis_sized(world):
    _, b = start_behind_a_moving_one(world, {"settle": "0s"})
    mine = [attempt for attempt in world.attempts() if attempt.service == "B"][-1]
    assert mine.failure or abs(mine.kv - b.kv_alone()) > 2**30, "nothing went wrong: the next test proves nothing"


def test_s10_settling_waits_until_memory_is_stable(world):
    a, b = start_behind_a_moving_one(world, {"settle": "auto", "settle-floor": "800ms", "settle-cap": "5s"})
    oracle.check_windows(world.attempts(), 0)
    oracle.check_kv(world.attempts(), {"A": a.kv_alone(), "B": b.kv_alone()})
    settled = world.log().first("A", "ready")
    assert "stable" in settled["reason"], settled


def test_s10_settling_ends_at_the_cap_when_memory_never_rests(world):
    steps = ",".join(f"{'+' if i % 2 == 0 else '-'}2GiB@{0.05 * (i + 1):.2f}s" for i in range(60))
    a = world.server("A", fake={"settle": steps}, gate={"settle": "auto", "settle-floor": "200ms", "settle-cap": "600ms"})
    world.start(a)
    ready = world.until_state(a, "ready")
    served = next(line for line in world.journal() if line["phase"] == "serve")
    assert 600 * MS <= ready["boottime_ns"] - served["boot_ns"] < 900 * MS
    assert "cap" in ready["reason"]


def three_that_do_not_fit(world: World, gated: bool) -> list[Server]:
    """33 GiB each. A cache stated in bytes skips vLLM's own sizing, so nothing of its own stops the third."""
    servers = [world.server(name, util=0.10, priority=priority, gated=gated, gate={"reserve": "16GiB"},
                            fake={"weights": "12GiB"}, engine_args=["--kv-cache-memory-bytes", "20G"])
               for name, priority in (("A", 2), ("B", 1), ("C", 0))]
    for server in servers:
        world.start(server)
    return servers


def device(world: World) -> dict:
    return json.loads(world.device("show", "--json"))


def test_s11_without_the_gate_the_machine_wedges(make_world):
    world = make_world(host_floor="10GiB", page_cache="60GiB", wedge_on_floor=True)
    three_that_do_not_fit(world, gated=False)
    proc.until(lambda: device(world)["wedged"], 10, world.report)


def test_s11_with_the_gate_who_does_not_fit_waits_with_the_numbers_until_it_does(make_world):
    world = make_world(host_floor="10GiB", page_cache="60GiB", wedge_on_floor=True)
    a, b, c = three_that_do_not_fit(world, gated=True)
    world.until_ready([a, b])
    short = proc.until(lambda: next((line for line in world.log().of("C") if "short" in line["reason"]), None), 5, world.report)
    assert "20 GiB + reserve 16 GiB" in short["reason"], short
    assert not [line for line in world.journal() if line["svc"] == "C"], "C was started although it does not fit"
    d = world.server("D", util=0.05)
    world.start(d)
    world.until_ready([d])  # who waits for memory does not hold up others
    proc.kill(a.process.pid, 15)
    proc.wait(a.process, 5)
    world.until_ready([c])
    assert not device(world)["wedged"]
    oracle.check_no_failures(world.attempts())


def test_s11_after_the_short_timeout_it_is_held_with_the_numbers(world):
    proc.start([proc.program("fakevllm"), "device", "hold", "20GiB", "--dir", str(world.gpu_dir), "--svc", "other"])
    proc.until(lambda: any(line["svc"] == "other" for line in world.journal()), 5, world.report)
    a = world.server("A", util=0.90, gate={"short-timeout": "300ms", "reserve": "5GiB"})
    world.start(a)
    held = world.until_state(a, "held")
    assert "0.90 of 100 GiB" in held["reason"] and "short by" in held["reason"]
    assert a.process.poll() is None, "a held service stays up, or dockerd would restart it for ever"


def gate_status(world: World) -> dict:
    done = subprocess.run([proc.program("antifreeze"), "gate", "status", "--json", "--gate-dir", str(world.gate_dir)], text=True,
                          capture_output=True, timeout=10, check=False)
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def test_s11_status_names_who_waits_for_memory_as_long_as_it_does(world):
    other = proc.start([proc.program("fakevllm"), "device", "hold", "20GiB", "--dir", str(world.gpu_dir), "--svc", "other"])
    proc.until(lambda: any(line["svc"] == "other" for line in world.journal()), 5, world.report)
    a, b = (world.server(name, util=0.90, gate={"reserve": "5GiB"}) for name in ("A", "B"))
    for server in (a, b):
        world.start(server)
        proc.until(lambda: any("short" in line["reason"] for line in world.log().of(server.name)), 5, world.report)
    held = {entry["service"]: entry for entry in gate_status(world)["held"]}
    assert set(held) == {"A", "B"} and all(entry["state"] == "waiting_for_memory" for entry in held.values()), held
    assert "0.90 of 100 GiB" in held["A"]["reason"]
    proc.kill(b.process.pid)  # without a last word
    proc.wait(b.process, 5)
    assert [entry["service"] for entry in gate_status(world)["held"]] == ["A"]
    proc.kill(other.pid)
    proc.wait(other, 5)
    world.until_ready([a])
    assert gate_status(world)["held"] == []


def test_s11_what_can_never_fit_is_held_at_once_with_the_numbers(world):
    a = world.server("A", util=0.99, gate={"reserve": "5GiB"})
    world.start(a)
    held = world.until_state(a, "held", 5)
    assert "99 GiB" in held["reason"] and "never fit into the 100 GiB" in held["reason"], held
    assert a.process.poll() is None, "a held service stays up, or dockerd would restart it for ever"
    assert "granted" not in world.log().states("A")
    assert gate_status(world)["held"][0]["state"] == "held"
    proc.kill(a.process.pid, 15)
    assert proc.wait(a.process, 5) == 143


def test_s11_on_short_start_starts_all_the_same(world):
    a = world.server("A", util=0.99, gate={"reserve": "5GiB", "on-short": "start"})
    world.start(a)
    world.until_ready()
    assert "starting all the same" in world.stderr(a)


def test_an_unknown_share_is_not_waited_for(world):
    world.start(holder := world.server("H", util=0.85))
    world.until_ready([holder])
    a = world.server("A")
    world.start(a, ["/bin/sleep", "60"])
    world.until_ready([a])
