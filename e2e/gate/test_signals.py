"""S12, S18: asked to stop while queued, starting, settling, held or ready: prompt, the right code, the gate let go."""

import http.client
import signal
import time

import pytest

from lib import oracle, proc
from lib.world import MS


def stop(server, number=signal.SIGTERM, within: float = 1.0) -> int:
    """Sends it; exit code. Fails when that takes longer than `within` seconds."""
    begin = time.monotonic()
    proc.kill(server.process.pid, number)
    code = proc.wait(server.process, 15)
    took = time.monotonic() - begin
    assert took < within, f"took {took:.2f} s to end"
    return code


def tickets(world) -> list:
    return list(world.gate_dir.glob("t-*"))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGQUIT, 131)])
def test_s12_while_queued_nothing_is_started(world, number, code):
    a = world.server("A", priority=1, fake={"load-ms": 1500})
    b = world.server("B")
    world.start(a)
    world.until_state(a, "starting")
    world.start(b)
    world.until_state(b, "queued")
    assert stop(b, number) == code
    assert not [line for line in world.journal() if line["svc"] == "B"]
    assert "starting" not in world.log().states("B") and "granted" not in world.log().states("B")
    assert len(tickets(world)) == 1, "its ticket stayed behind"
    assert world.log().last("B", "exited")["exit_code"] == code


def test_s12_within_the_gather_window(world):
    a = world.server("A", gate={"gather": "30s"})
    world.start(a)
    world.until_state(a, "queued")
    assert stop(a) == 143
    assert not tickets(world)


@pytest.mark.parametrize("delay_ms", [0, 1, 2, 5, 10, 20, 40])
def test_s12_right_after_exec(world, delay_ms):
    """At whatever instant of its own start-up: never a lost signal, never a server left behind."""
    a = world.server("A", gate={"gather": "25ms"})
    world.start(a)
    time.sleep(delay_ms / 1000)
    code = stop(a, within=2.0)
    assert code in (143, 130, 0, -15), world.report()
    assert not proc.descendants(a.process.pid)
    live = [a for a in world.attempts() if a.gone is None and proc.is_running(a.pid)]
    assert not live


def test_s12_while_starting_the_servers_own_code_comes_back(world):
    a = world.server("A", priority=1, fake={"load-ms": 3000})
    b = world.server("B")
    for server in (a, b):
        world.start(server)
    world.until_phase(a, "load")
    assert stop(a) == 130  # vLLM's code for TERM before it serves
    world.until_ready([b])
    oracle.check_windows(world.attempts(), 0)
    oracle.check_kv(world.attempts(), {"B": b.kv_alone()})


def test_s12_while_starting_and_deaf_grace_then_kill(world):
    a = world.server("A", priority=1, fake={"load-ms": 8000, "ignore-term": True}, gate={"grace": "300ms"})
    b = world.server("B")
    for server in (a, b):
        world.start(server)
    world.until_phase(a, "load")
    begin = time.monotonic()
    assert stop(a, within=2.5) == 137
    assert time.monotonic() - begin >= 0.29
    world.until_ready([b])
    oracle.check_windows(world.attempts(), 0)


def test_s12_while_settling(world):
    a = world.server("A", priority=1, gate={"settle": "5s"})
    b = world.server("B")
    for server in (a, b):
        world.start(server)
    world.until_state(a, "settling")
    assert stop(a) == 0  # the server serves already: its own code of a normal stop
    world.until_ready([b])
    oracle.check_windows(world.attempts(), 0)


def test_s12_while_backing_off(world):
    a = world.server("A", fake={"crash": "3"}, gate={"backoff": "30s"})
    world.start(a)
    proc.wait(a.process, 10)
    world.start(a)
    world.until_state(a, "held")
    assert stop(a) == 143
    assert len(world.attempts()) == 1


def test_s12_while_reclaiming(world):
    a = world.server("A", priority=1, fake={"load-ms": 3000}, prefix=["unshare", "-pf", "--mount-proc", "--kill-child"])
    b = world.server("B", gate={"reclaim-floor": "20s", "reclaim-cap": "20s"})
    for server in (a, b):
        world.start(server)
    world.until_phase(a, "load")
    proc.kill(proc.children_map()[a.process.pid][0])
    world.until_state(b, "reclaiming")
    assert stop(b) == 143
    assert not [line for line in world.journal() if line["svc"] == "B"]


def test_s12_once_ready_it_drains_as_long_as_it_likes(world):
    """No grace of ours cuts off a serving engine: whoever stops it decides how long that may take."""
    a = world.server("A", gate={"grace": "100ms"}, engine_args=["--shutdown-timeout", "3"])
    world.start(a)
    world.until_ready([a])
    connection = http.client.HTTPConnection("127.0.0.1", a.port, timeout=5)
    connection.request("POST", "/v1/completions", '{"model":"A","prompt":"x","max_tokens":120}',
                       {"Content-Type": "application/json"})
    time.sleep(0.1)
    proc.kill(a.process.pid, signal.SIGTERM)
    answer = connection.getresponse()
    assert answer.status == 200 and answer.read()
    assert proc.wait(a.process, 5) == 0


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGHUP, signal.SIGWINCH, signal.SIGRTMIN + 3])
def test_other_signals_reach_the_server(world, number):
    script = ("import signal, sys\n"
              f"signal.signal({int(number)}, lambda *_: sys.exit(42))\n"
              "print('armed', flush=True)\nsignal.pause()\n")
    a = world.server("A", gate={"ready": "log:armed", "settle": "0s"})
    world.start(a, ["/usr/bin/python3", "-c", script])
    world.until_ready([a])
    proc.kill(a.process.pid, number)
    assert proc.wait(a.process, 5) == 42


def test_s18_the_next_one_starts_at_once_after_a_stop(world):
    a = world.server("A", priority=1, gate={"settle": "0s"}, fake={"load-ms": 2000})
    b = world.server("B")
    for server in (a, b):
        world.start(server)
    world.until_phase(a, "load")
    stop(a)
    ended = world.log().last("A", "exited")["boottime_ns"]
    world.until_state(b, "starting")
    assert world.log().first("B", "starting")["boottime_ns"] - ended < 500 * MS
