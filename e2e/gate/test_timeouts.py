"""S8 and the waiting: servers that hang, wrappers that are frozen, and how long anybody waits for them."""

import os
import signal
import time

from lib import oracle, proc
from lib.world import MS


def test_s8_a_hung_start_is_released_after_the_start_timeout(world):
    a = world.server("A", priority=1, fake={"hang": "3"}, gate={"start-timeout": "400ms"})
    b = world.server("B")
    for server in (a, b):
        world.start(server)
    world.until_ready([b])
    settling = world.log().first("A", "settling")
    assert "not ready after 400ms" in settling["reason"], settling
    assert "unproven" in world.log().first("A", "ready")["reason"]
    assert a.process.poll() is None, "--on-timeout release leaves the server alone"
    began = world.log().first("A", "starting")["boottime_ns"]
    assert settling["boottime_ns"] - began >= 395 * MS


def test_s8_a_hung_start_is_ended_when_asked_for(world):
    a = world.server("A", priority=1, fake={"hang": "4", "ignore-term": True},
                     gate={"start-timeout": "300ms", "on-timeout": "kill", "grace": "200ms"})
    b = world.server("B")
    for server in (a, b):
        world.start(server)
    assert proc.wait(a.process, 10) == 137
    world.until_ready([b])
    oracle.check_windows(world.attempts(), 0)
    oracle.check_kv(world.attempts(), {"B": b.kv_alone()})
    assert "--on-timeout kill" in world.stderr(a)


def test_s8_no_progress_is_a_stall_long_before_the_hard_cap(world):
    a = world.server("A", fake={"hang": "3"}, gate={"stall-timeout": "500ms", "start-timeout": "60s"})
    world.start(a)
    settling = world.until_state(a, "settling")
    assert "progress" in settling["reason"], settling


# Reads and computes for a second and a half, in bursts a quarter of the stall time-out apart, then listens.
SLOW_LOADER = """
import http.server, sys, time
end = time.monotonic() + 1.5
while time.monotonic() < end:
    with open('/dev/zero', 'rb') as weights:
        weights.read(8 << 20)
    time.sleep(0.05)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
    def log_message(self, *args): pass
http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
"""


def test_s10_a_slow_load_that_makes_progress_is_not_a_dead_one(world):
    a = world.server("A", gate={"stall-timeout": "600ms", "start-timeout": "60s"})
    a.gate["ready"] = f"http:http://127.0.0.1:{a.port}/"
    world.start(a, ["/usr/bin/python3", "-c", SLOW_LOADER, str(a.port)])
    settling = world.until_state(a, "settling")
    assert "unproven" not in settling["reason"], settling
    took = settling["boottime_ns"] - world.log().first("A", "starting")["boottime_ns"]
    assert took > 1400 * MS


def test_s11_after_a_timeout_the_next_try_works(world):
    a = world.server("A", fake={"hang": "3:times=1"}, gate={"start-timeout": "300ms", "on-timeout": "kill", "backoff": "20ms"})
    world.start(a)
    proc.wait(a.process, 10)
    world.start(a)
    proc.until(lambda: world.log().first("A", "ready"), 10, world.report)
    oracle.check_kv(world.attempts(), {"A": a.kv_alone()})


def test_s4_who_waits_too_long_fails_by_default_and_says_so(world):
    a = world.server("A", priority=1, fake={"load-ms": 1500})
    b = world.server("B", gate={"wait-timeout": "300ms"})
    for server in (a, b):
        world.start(server)
    assert proc.wait(b.process, 5) == 125
    assert "300ms" in world.stderr(b) and "--wait-timeout" in world.stderr(b)
    assert world.log().last("B", "exited")["exit_code"] == 125
    assert not [line for line in world.journal() if line["svc"] == "B"]


def test_s4_or_proceeds_without_the_gate_when_asked_to_and_says_so(world):
    a = world.server("A", priority=1, fake={"load-ms": 1500})
    b = world.server("B", gate={"wait-timeout": "300ms", "on-wait-timeout": "proceed"})
    for server in (a, b):
        world.start(server)
    world.until_phase(b, "init_device", 5)
    assert "WITHOUT the gate" in world.stderr(b)
    assert not world.log().first("A", "ready"), "A was to be starting still"


def test_hold_until_exit_keeps_the_gate_for_the_whole_job(world):
    job = world.server("job", priority=1, gate={"hold-until-exit": True})
    b = world.server("B")
    world.start(job, ["/bin/sleep", "0.8"])
    world.start(b)
    assert proc.wait(job.process, 5) == 0
    world.until_ready([b])
    ended, granted = world.log().first("job", "exited"), world.log().first("B", "granted")
    assert granted["boottime_ns"] >= world.log().first("job", "starting")["boottime_ns"] + 800 * MS
    assert ended["exit_code"] == 0


def test_w3_a_paused_waiter_is_passed_over(world):
    a = world.server("A", priority=2, fake={"load-ms": 300})
    paused = world.server("P", priority=1)
    b = world.server("B", priority=0)
    for server in (a, paused, b):
        world.start(server)
    for server in (a, paused, b):
        world.until_state(server, "queued")
    proc.kill(paused.process.pid, signal.SIGSTOP)
    world.until_ready([b], 15)
    assert "passed over" in world.stderr(b)
    waited = world.log().first("B", "granted")["boottime_ns"] - world.log().first("A", "ready")["boottime_ns"]
    assert 4500 * MS < waited < 8000 * MS
    proc.kill(paused.process.pid, signal.SIGCONT)
    world.until_ready([paused])
    oracle.check_windows(world.attempts(), 0)


def test_h4_a_paused_holder_is_not_waited_for_beyond_its_deadline(world):
    """A minute: start time-out, settle and the protocol's slack of 60 s."""
    a = world.server("A", priority=1, fake={"load-ms": 300}, gate={"start-timeout": "500ms"})
    b = world.server("B", gate={"start-timeout": "500ms"})
    world.start(a)
    world.until_state(a, "starting")
    os.kill(a.process.pid, signal.SIGSTOP)
    world.start(b)
    begun = time.monotonic()
    proc.until(lambda: world.log().first("B", "ready"), 75, world.report, every=0.2)
    assert time.monotonic() - begun > 55
    assert "overdue: A holds the gate beyond its deadline" in world.stderr(b)
