"""S5, and the breaker: failed starts are spaced, counted across restarts, and in the end held."""

import signal
import threading
import time

from lib import oracle, proc
from lib.world import MS, Server, World


class Restarter(threading.Thread):
    """Restarts a server as dockerd does: at once, whatever happens."""

    def __init__(self, world: World, server: Server):
        super().__init__(daemon=True)
        self.world, self.server, self.stop, self.starts = world, server, threading.Event(), 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.join(5)

    def run(self):
        while not self.stop.is_set():
            if self.server.process is None or self.server.process.poll() is not None:
                self.world.start(self.server)
                self.starts += 1
            self.stop.wait(0.01)


def touches(world: World, name: str) -> list[int]:
    return [attempt.touch for attempt in world.attempts() if attempt.service == name]


def test_s5_without_the_breaker_a_crash_loop_keeps_the_others_from_starting(world):
    """The control: a restarter's own delay does nothing, the loop goes on many times a second."""
    b = world.server("B", gated=False, fake={"crash": "4"})
    with Restarter(world, b):
        proc.until(lambda: len(touches(world, "B")) >= 6, 10, world.report)
    gaps = [later - earlier for earlier, later in zip(touches(world, "B"), touches(world, "B")[1:])]
    assert max(gaps) < 1000 * MS


def test_s5_attempts_of_a_crash_loop_are_spaced_and_others_start(world):
    b = world.server("B", priority=5, fake={"crash": "4"}, gate={"backoff": "150ms", "max-failures": "0"})
    a = world.server("A")
    with Restarter(world, b):
        world.start(a)
        world.until_ready([a])
        proc.until(lambda: len(touches(world, "B")) >= 4, 10, world.report)
    seen = touches(world, "B")
    gaps = [(later - earlier) / MS for earlier, later in zip(seen, seen[1:])]
    for gap, least in zip(gaps, [150, 300, 600]):
        assert gap >= least, f"attempts {gaps} ms apart"
    oracle.check_windows(world.attempts(), 0)
    oracle.check_kv(world.attempts(), {"A": a.kv_alone()})


def test_s5_after_so_many_failures_it_is_held_without_holding_the_gate(world):
    b = world.server("B", fake={"crash": "3"}, gate={"backoff": "20ms", "max-failures": "3"})
    with Restarter(world, b) as restarter:
        held = proc.until(lambda: next((line for line in world.log().of("B") if "gate reset" in line["reason"]), None), 15,
                          world.report)
        a = world.server("A")
        world.start(a)
        world.until_ready([a])
        count = restarter.starts
        time.sleep(0.5)
        assert restarter.starts == count, "a held service must stay up: its restarter would start it again for ever"
    assert "3 failed starts" in held["reason"], held
    assert len(touches(world, "B")) == 3
    assert not any(ticket for ticket in world.gate_dir.glob("t-*")), "a held service owns no ticket"


def test_the_count_outlives_the_wrapper_and_held_for_ends_it(world):
    b = world.server("B", fake={"crash": "3:times=2"}, gate={"backoff": "20ms", "max-failures": "2", "held-for": "700ms"})
    for _ in range(2):
        world.start(b)
        assert proc.wait(b.process, 10) == 1
    world.start(b)
    held = world.until_state(b, "held")
    world.until_ready([b], 10)
    started = world.log().last("B", "starting")
    assert started["boottime_ns"] - held["boottime_ns"] >= 500 * MS


def test_memory_that_each_attempt_loses_is_measured_and_said(world):
    b = world.server("B", fake={"crash": "3"}, gate={"backoff": "20ms", "max-failures": "0"})
    for attempt in range(3):
        world.start(b)
        proc.wait(b.process, 10)
        # What a failed start never gave back: somebody else's from now on.
        proc.start([proc.program("fakevllm"), "device", "hold", "1GiB", "--dir", str(world.gpu_dir), "--svc", f"leak{attempt}"])
        proc.until(lambda: any(line["svc"] == f"leak{attempt}" for line in world.journal()), 5, world.report)
    said = [line for line in world.stderr(b).splitlines() if "memory available before each start fell" in line]
    assert said and "1 GiB per attempt" in said[-1].replace("1.0 GiB", "1 GiB"), world.stderr(b)


def test_being_stopped_is_no_failure(world):
    b = world.server("B", fake={"load-ms": 400}, gate={"backoff": "5s"})
    world.start(b)
    world.until_phase(b, "load")
    proc.kill(b.process.pid, signal.SIGTERM)
    proc.wait(b.process, 5)
    world.start(b)
    world.until_ready([b], 3)  # no back-off of 5 s


def test_an_engine_that_dies_with_code_0_soon_after_ready_counts(world):
    """vLLM exits 0 after its engine died: who was not asked to stop has failed."""
    b = world.server("B", fake={"crash": "7:after_ms=50:times=1", "watchdog-ms": 20}, gate={"backoff": "400ms"})
    world.start(b)
    assert proc.wait(b.process, 10) == 0
    world.start(b)
    held = proc.until(lambda: world.log().first("B", "held"), 5, world.report)
    assert "failed 1 time" in held["reason"]


def test_ten_healthy_minutes_forget_the_failures(world):
    b = world.server("B", fake={"crash": "3:times=1"}, gate={"backoff": "20ms", "healthy-after": "200ms"})
    world.start(b)
    proc.wait(b.process, 10)
    world.start(b)
    world.until_ready([b])
    time.sleep(0.5)
    assert "failures_in_a_row=0\n" in next(world.gate_dir.glob("b-*")).read_text()


def test_the_third_start_in_a_row_that_vanishes_counts(world):
    """SIGKILL of everything is dockerd or a person, twice; after that it may be an OOM killer."""
    b = world.server("B", fake={"load-ms": 2000}, gate={"backoff": "30s"},
                     prefix=["unshare", "-pf", "--mount-proc", "--kill-child"])
    for _ in range(3):
        world.start(b)
        before = len(touches(world, "B"))
        proc.until(lambda: len(touches(world, "B")) > before, 8, world.report)
        for pid in proc.descendants(b.process.pid)[:1]:
            proc.kill(pid)
        proc.wait(b.process, 5)
    world.start(b)
    world.until_state(b, "held", 5)
