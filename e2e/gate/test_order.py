"""S3: who comes first. Priority orders a mass restart, arrival orders the rest, and nobody is kept waiting needlessly."""

import time

from lib import oracle
from lib.world import GATHER_MS, MS, SETTLE_MS


def grants(world) -> list[str]:
    return [line["service"] for line in world.log().grants()]


def test_a_mass_restart_is_ordered_by_priority(world):
    order = {"low": -3, "lower": -10, "high": 10, "mid": 0, "upper": 4}
    for name, priority in order.items():
        world.start(world.server(name, priority=priority, gate={"gather": "300ms"}))
    world.until_ready()
    assert grants(world) == sorted(order, key=order.get, reverse=True)


def test_equal_priorities_are_served_by_arrival(world):
    for name in ("first", "second", "third", "fourth"):
        world.start(server := world.server(name, gate={"gather": "200ms"}))
        world.until_state(server, "queued")
    world.until_ready()
    assert grants(world) == ["first", "second", "third", "fourth"]


def test_a_priority_step_is_worth_a_minute_of_earlier_arrival(world):
    """Who waits cannot be overtaken for ever: the queue's key is arrival less a minute a step."""
    a, b = world.server("A", priority=1), world.server("B", priority=0)
    for server in (a, b):
        world.start(server)
    world.until_ready()
    queued = {name: world.log().first(name, "queued") for name in ("A", "B")}
    apart = oracle.key_of(queued["B"]) - oracle.key_of(queued["A"])
    arrived = queued["B"]["boottime_ns"] - queued["A"]["boottime_ns"]
    assert abs(apart - arrived - oracle.PRIORITY_STEP_NS) < 50 * MS


def test_the_gather_window_lets_a_late_better_one_go_first(world):
    late = world.server("late", priority=5, gate={"gather": "400ms"})
    early = world.server("early", priority=0, gate={"gather": "400ms"})
    world.start(early)
    world.until_state(early, "queued")
    time.sleep(0.15)
    world.start(late)
    world.until_ready()
    assert grants(world) == ["late", "early"]
    oracle.check_order(world.log(), 400 * MS)


def test_the_whole_takes_no_longer_than_its_parts(world):
    for index in range(5):
        world.start(world.server(f"s{index}", priority=index))
    world.until_ready()
    oracle.check_total(world.log(), world.attempts(), SETTLE_MS * MS, GATHER_MS * MS)


def test_the_log_says_who_waits_for_whom(world):
    a, b = world.server("A", priority=1, fake={"load-ms": 200}), world.server("B")
    for server in (a, b):
        world.start(server)
    world.until_ready()
    behind = [line for line in world.log().of("B") if line.get("behind")]
    assert behind and behind[0]["behind"] == "A" and behind[0]["ahead"] == 1
    for line in world.log().lines:
        assert {"boot_id", "boottime_ns", "service", "domain", "state", "reason", "pid", "mem_free", "mem_available"} <= set(line)
    assert world.log().states("A") == ["queued", "granted", "starting", "settling", "ready"]
