"""S7, S9, S16: whoever is killed, the gate passes on only after the holder's last process is gone, and soon after."""

import os
import pathlib
import time

import pytest

from lib import oracle, proc, rounds
from lib.world import MS, Server, World

FLOOR_MS = 90  # --reclaim-floor
PHASES = ["granted", "init_device", "load", "kv", "settling"]
IN_NAMESPACE = ["unshare", "-pf", "--mount-proc", "--kill-child"]


def holder_and_waiter(world: World, prefix: list[str] | None = None, floor: str = f"{FLOOR_MS}ms") -> tuple[Server, Server]:
    a = world.server("A", priority=1, prefix=prefix or [], fake={"load-ms": 120, "setsid-child": "hold=1GiB"})
    b = world.server("B", priority=0, gate={"reclaim-floor": floor})
    world.start(a)
    seen_in(world, a, "queued")  # or B may be the first under load
    world.start(b)
    return a, b


def seen_in(world: World, server: Server, phase: str) -> None:
    proc.until(lambda: world.log().first(server.name, phase) or any(
        line["svc"] == server.name and line["phase"] == phase for line in world.journal()), 10, world.report, every=0.001)


def check_handed_over(world: World, a: Server, b: Server, killed_at_ns: int, within_ms: int) -> None:
    world.until_ready([b])
    log = world.log()
    oracle.check_windows(world.attempts(), 0)
    oracle.check_kv(world.attempts(), {"B": b.kv_alone()})
    waited = log.first("B", "starting")["boottime_ns"] - killed_at_ns
    assert waited < within_ms * MS, f"B was started {waited / MS:.0f} ms after the kill\n{world.report()}"
    begun = log.first("B", "starting")["boottime_ns"]
    left = [line for line in world.journal() if line["svc"] == "A" and line["boot_ns"] > begun and line["phase"] != "freed"]
    assert not left, f"A still did something after B was started: {left}"


def boot_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("who", [rounds.FRONT, rounds.KEEPER, rounds.SERVER, rounds.ENGINE])
def test_s7_one_process_killed(world, who, phase):
    """The other half of the wrapper ends what is left, waits for the last process, and lets go."""
    a, b = holder_and_waiter(world)
    seen_in(world, a, phase)
    front = a.process.pid
    tree = rounds.find_tree(front)
    at = boot_ns()
    proc.kill(tree.get(who, front))
    # A child that was forked just then gets no TERM: the KILL after 5 s is the bound.
    check_handed_over(world, a, b, at, 6500 if who == rounds.SERVER else 3000)
    proc.wait(a.process, 5)
    assert not [pid for pid in tree.values() if proc.is_running(pid)]


@pytest.mark.parametrize("phase", PHASES)
def test_s7_both_halves_killed_at_once(world, phase):
    """Only the ticket of a dead holder is left: its successor waits until the processes it names are gone (H1)."""
    a, b = holder_and_waiter(world)
    seen_in(world, a, phase)
    tree = rounds.find_tree(a.process.pid)
    at = boot_ns()
    for who in (rounds.FRONT, rounds.KEEPER):
        if who in tree:
            proc.kill(tree[who])
    time.sleep(0.3)  # on a bare host nobody else ends them for now
    rounds.kill_orphans(a)
    check_handed_over(world, a, b, at, 3000)


@pytest.mark.parametrize("phase", PHASES)
def test_s7_whole_pid_namespace_killed(world, phase):
    """What dockerd does to a container: PID 1's locks are free at once, the rest of the namespace dies later."""
    a, b = holder_and_waiter(world, IN_NAMESPACE)
    seen_in(world, a, phase)
    first = proc.until(lambda: proc.children_map().get(a.process.pid), 5, "PID 1 of the namespace")[0]
    at = boot_ns()
    proc.kill(first)
    check_handed_over(world, a, b, at, 3000)
    assert "reclaiming" in world.log().states("B")


def test_s7_memory_that_comes_back_late_is_waited_for(make_world):
    """GPU teardown takes time after the processes are gone: the successor waits until memory has been stable."""
    world = make_world(release_lag="60")
    a, b = holder_and_waiter(world, floor="450ms")  # a third of it where the processes are proven gone
    seen_in(world, a, "kv")
    proc.kill(a.process.pid)
    world.until_ready([b])
    oracle.check_windows(world.attempts(), 0)


def test_s7_successor_killed_while_reclaiming_leaves_the_wreck_to_the_next(world):
    a, b = holder_and_waiter(world, IN_NAMESPACE, floor="1s")
    c = world.server("C", priority=-1)
    seen_in(world, a, "load")
    world.start(c)
    world.until_state(c, "queued")
    proc.kill(proc.children_map()[a.process.pid][0])
    world.until_state(b, "granted")
    proc.kill(b.process.pid)
    world.until_ready([c])
    assert "reclaiming" in world.log().states("C"), world.log().states("C")
    oracle.check_windows(world.attempts(), 0)


def test_s9_the_lock_does_not_leak_into_the_server(world):
    a = world.server("A", fake={"load-ms": 300})
    world.start(a)
    seen_in(world, a, "load")
    tree = rounds.find_tree(a.process.pid)
    assert rounds.ENGINE in tree
    for who in (rounds.SERVER, rounds.ENGINE):
        for link in pathlib.Path(f"/proc/{tree[who]}/fd").iterdir():
            try:
                target = os.readlink(link)
            except FileNotFoundError:
                continue
            assert str(world.gate_dir) not in target, f"{who} has {target} open"


def test_s16_nothing_of_a_server_survives_it(world):
    """A child in its own session, deaf to TERM, that holds GPU memory and a port: gone before the wrapper exits."""
    port = world.server("unused").port
    a = world.server("A", fake={"setsid-child": f"hold=2GiB,port={port},ignore-term", "unclean-exit": True})
    world.servers = [a]
    world.start(a)
    world.until_ready([a])
    held = world.until_phase(a, "hold") if any(line["phase"] == "hold" for line in world.journal()) else None
    tree = rounds.find_tree(a.process.pid)
    below = proc.descendants(a.process.pid)
    assert len(below) >= 4, f"no child in its own session? {[(p, proc.comm(p)) for p in below]} {held}"
    proc.kill(tree[rounds.SERVER])
    assert proc.wait(a.process, 10) == 128 + 9
    assert not [(pid, proc.comm(pid)) for pid in below if proc.is_running(pid)]


def test_s16_killed_before_ready_by_sigkill_of_the_server_alone_leaves_no_engine(world):
    a = world.server("A", fake={"load-ms": 500})
    world.start(a)
    seen_in(world, a, "load")
    tree = rounds.find_tree(a.process.pid)
    proc.kill(tree[rounds.SERVER])
    assert proc.wait(a.process, 10) == 137
    assert not proc.is_running(tree[rounds.ENGINE])
