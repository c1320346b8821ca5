"""S13: a gate directory that somebody tampers with: litter, removed and replaced files, held locks, other users.

Exclusion holds, the start goes on or waits with a line that says for what, and nothing hangs.
"""

import os
import time

import pytest

from lib import oracle, proc
from lib.mounts import ofd_lock
from lib.once import refused, run
from lib.world import MS, SETTLE_MS, World

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="another user's process takes root")
UNPRIVILEGED = ["setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups", "--inh-caps=-all"]


def litter(world) -> None:
    """Everything that is no ticket, under names of tickets and others."""
    gate = world.gate_dir
    gate.mkdir(mode=0o1777, exist_ok=True)
    now = time.clock_gettime_ns(time.CLOCK_BOOTTIME) + (1 << 60)
    (world.dir / "target").write_text("x" * 4096)
    (gate / f"t-{now:016x}-0000000a").symlink_to(world.dir / "target")
    os.mkfifo(gate / f"t-{now + 1:016x}-0000000b")
    (gate / f"t-{now + 2:016x}-0000000c").mkdir()
    (gate / f"t-{now + 3:016x}-0000000d").write_bytes(os.urandom(4096))
    (gate / f"t-{now + 4:016x}-0000000e").write_text("")
    with (gate / f"t-{now + 5:016x}-0000000f").open("wb") as huge:
        huge.truncate(1 << 40)
    (gate / f"t-{now + 6:016x}-00000010").write_bytes(bytes(4096))
    (gate / f"t-{now + 6:016x}-00000010").chmod(0)
    for name in ("t-", "t-zz-00", "t-" + "f" * 16 + "-" + "f" * 8, "b-", "b-%zz", "..t", ".n-x", "\u202etxt", "a\nb"):
        (gate / name).write_text("x")


def test_litter_of_every_kind_is_ignored(world):
    litter(world)
    a, b = world.server("A", priority=1), world.server("B")
    for server in (a, b):
        world.start(server)
    world.until_ready(timeout=10)
    oracle.check_windows(world.attempts(), SETTLE_MS * MS)
    oracle.check_kv(world.attempts(), {"A": a.kv_alone(), "B": b.kv_alone()})
    assert (world.dir / "target").read_text() == "x" * 4096


def test_a_live_ticket_that_nobody_can_read_counts_as_a_holder_of_everything(world):
    world.gate_dir.mkdir(mode=0o1777)
    now = time.clock_gettime_ns(time.CLOCK_BOOTTIME) + (1 << 60)
    garbage = world.gate_dir / f"t-{now:016x}-0000000a"
    garbage.write_bytes(os.urandom(4096))
    b = world.server("B")
    with ofd_lock(garbage):
        world.start(b)
        world.until_state(b, "queued")
        behind = proc.until(lambda: next((line for line in world.log().of("B") if line.get("behind")), None), 5, world.report)
        assert "unreadable" in behind["behind"]
        time.sleep(0.5)
        assert "granted" not in world.log().states("B")
    world.until_ready([b])


def test_the_holders_ticket_is_removed(world):
    """H5: noticed within a second, and a new one takes its place while the start goes on."""
    a, b = world.server("A", fake={"load-ms": 2500}), world.server("B")
    world.start(a)
    world.until_state(a, "starting")
    next(world.gate_dir.glob("t-*")).unlink()
    proc.until(lambda: "tampered" in world.stderr(a), 3, world.report)
    world.start(b)
    world.until_ready([b])
    oracle.check_windows(world.attempts(), SETTLE_MS * MS)


def test_a_waiters_ticket_is_removed(world):
    a, b = world.server("A", priority=1, fake={"load-ms": 600}), world.server("B")
    for server in (a, b):
        world.start(server)
    world.until_state(a, "starting")
    world.until_state(b, "queued")
    sorted(world.gate_dir.glob("t-*"))[-1].unlink()
    world.until_ready()
    oracle.check_windows(world.attempts(), SETTLE_MS * MS)
    assert "tampered" in world.stderr(b)


def test_the_registry_is_replaced_while_servers_queue(world):
    servers = [world.server(f"s{index}", priority=-index) for index in range(4)]
    for server in servers:
        world.start(server)
    world.until_state(servers[0], "starting")
    fresh = world.gate_dir / "fresh"
    fresh.write_text("")
    fresh.chmod(0o666)
    fresh.rename(world.gate_dir / "registry")
    world.until_ready()
    oracle.check_windows(world.attempts(), SETTLE_MS * MS)


def test_a_frozen_process_holds_the_registry_and_a_fresh_one_takes_its_place(world):
    a = world.server("A")
    world.gate_dir.mkdir(mode=0o1777)
    registry = world.gate_dir / "registry"
    registry.write_text("")
    with ofd_lock(registry):
        world.start(a)
        proc.until(lambda: "registry has been locked for" in world.stderr(a), 5, world.report)
        assert not world.attempts()
        (world.gate_dir / "fresh").write_text("")
        (world.gate_dir / "fresh").rename(registry)  # what `gate reset --registry` does
        world.until_ready([a])


def test_term_while_the_registry_is_held_for_ever(world):
    a = world.server("A")
    world.gate_dir.mkdir(mode=0o1777)
    (world.gate_dir / "registry").write_text("")
    with ofd_lock(world.gate_dir / "registry"):
        world.start(a)
        time.sleep(0.3)
        begin = time.monotonic()
        proc.kill(a.process.pid, 15)
        assert proc.wait(a.process, 5) == 143
        assert time.monotonic() - begin < 1.0
        assert not world.journal()


def test_gate_broken_after_ten_seconds_goes_on_when_asked_to(world):
    a = world.server("A", gate={"on-gate-error": "proceed"})
    world.gate_dir.mkdir(mode=0o1777)
    (world.gate_dir / "registry").write_text("")
    with ofd_lock(world.gate_dir / "registry"):
        world.start(a)
        world.until_phase(a, "serve", 20)
        assert "gate_broken" in world.stderr(a) and "WITHOUT the gate" in world.stderr(a)


def test_a_broken_breaker_file_starts_anew_and_says_so(world):
    world.gate_dir.mkdir(mode=0o1777)
    (world.gate_dir / "b-A").write_bytes(os.urandom(200))
    a = world.server("A")
    world.start(a)
    world.until_ready([a])
    assert "breaker starts anew" in world.stderr(a)


def test_more_than_1024_tickets_are_a_flood_and_refused(world):
    world.gate_dir.mkdir(mode=0o1777)
    key = (1 << 60) + time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    for index in range(1025):
        (world.gate_dir / f"t-{key:016x}-{index:08x}").write_bytes(b"x")
    done = run("--gate-dir", str(world.gate_dir))
    refused(done, "1024")


def test_the_event_log_is_rotated_and_stays_bounded(world):
    world.gate_dir.mkdir(mode=0o1777)
    filler = '{"boot_id":"x","boottime_ns":1,"service":"old","domain":"host","state":"ready","reason":"","pid":1}\n'
    (world.gate_dir / "log.jsonl").write_text(filler * ((1 << 20) // len(filler) + 10))
    a = world.server("A")
    world.start(a)
    world.until_ready([a])
    assert (world.gate_dir / "log.1.jsonl").stat().st_size > 1 << 20
    assert (world.gate_dir / "log.jsonl").stat().st_size < 1 << 16


def for_everybody(world: World) -> World:
    """Device and gate that every user may use: sticky, with a registry for all."""
    for path in [world.gpu_dir, *world.gpu_dir.iterdir()]:
        path.chmod(0o777)
    world.gate_dir.mkdir()
    world.gate_dir.chmod(0o1777)
    registry = world.gate_dir / "registry"
    registry.write_text("")
    registry.chmod(0o666)
    return world


@needs_root
def test_another_user_without_capabilities_takes_part(make_world):
    """uid 1000 queues with root in one sticky directory, and removes nothing of root's."""
    world = for_everybody(make_world())
    a = world.server("A", priority=2)
    b = world.server("B", priority=1, prefix=UNPRIVILEGED)
    c = world.server("C", priority=0)
    for server in (a, b, c):
        world.start(server)
    world.until_ready()
    oracle.check_windows(world.attempts(), SETTLE_MS * MS)
    assert not list(world.gate_dir.glob("t-*"))


@needs_root
def test_a_killed_root_holders_wreck_is_reclaimed_by_another_user(make_world):
    world = for_everybody(make_world())
    a = world.server("A", priority=1, fake={"load-ms": 2000}, prefix=["unshare", "-pf", "--mount-proc", "--kill-child"])
    b = world.server("B", prefix=UNPRIVILEGED)
    for server in (a, b):
        world.start(server)
    world.until_phase(a, "load")
    world.until_state(b, "queued")
    proc.kill(proc.children_map()[a.process.pid][0])
    world.until_ready([b])
    assert "reclaiming" in world.log().states("B")
    oracle.check_windows(world.attempts(), 0)


@needs_root
def test_a_live_ticket_that_another_user_may_not_read_is_waited_for(make_world):
    world = for_everybody(make_world())
    a = world.server("A", priority=1, fake={"load-ms": 700})
    b = world.server("B", prefix=UNPRIVILEGED)
    world.start(a)
    world.until_state(a, "starting")
    next(world.gate_dir.glob("t-*")).chmod(0)
    world.start(b)
    world.until_ready()
    oracle.check_windows(world.attempts(), SETTLE_MS * MS)
