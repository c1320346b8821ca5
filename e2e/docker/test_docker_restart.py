"""The main job on a real Docker engine (S3): five servers whose engine dies and comes back, or that are restarted at once.

Device windows are disjoint in the simulated device's journal and for an observer who only sees processes and /health;
order is by priority; the whole takes no longer than its parts. Without the gate the same restart shows failures.
"""

import threading
import time

import pytest

from lib import oracle, proc
from lib.observer import Observer
from lib.world import MS

SETTLE_NS = 200 * MS
GATHER_NS = 1000 * MS
FIVE = {"s0": 0, "s1": 3, "s2": -2, "s3": 1, "s4": 2}


def kv_alone(util: float = 0.15) -> int:
    return round((util * 100 - 2 - 1 - 0.3) * 2**30)


def five(site, image, policies=("always", "unless-stopped"), **options):
    for index, (name, priority) in enumerate(FIVE.items()):
        site.server(name, image, priority=priority, policy=policies[index % len(policies)], **options)
    return list(FIVE)


def start_at_once(engine, names) -> None:
    threads = [threading.Thread(target=engine.start_container, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


def check_restart(site, names, boot_ns: int, mono_ns: int) -> None:
    log, attempts = site.log(boot_ns), site.attempts(mono_ns)
    assert {attempt.service for attempt in attempts} == set(names)
    oracle.check_windows(attempts, SETTLE_NS)
    oracle.check_no_failures(attempts)
    oracle.check_order(log, GATHER_NS)
    oracle.check_priorities(log, site.priorities, GATHER_NS)
    oracle.check_kv(attempts, {name: kv_alone() for name in names})
    whole = oracle.check_total(log, attempts, SETTLE_NS, GATHER_NS)
    print(f"all five ready {whole:.2f} s after the first arrival, in the order {[line['service'] for line in log.grants()]}")


def now() -> tuple[int, int]:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME), time.monotonic_ns()


@pytest.fixture
def running(engine, image, site):
    """Five gated containers that are ready."""
    host = site()
    names = five(host, image("scratch"))
    start_at_once(engine, names)
    host.until_ready(names)
    return host, names


def test_first_start_of_all_at_once(running):
    host, names = running
    check_restart(host, names, 0, 0)


def test_everything_killed_and_the_engine_started_again(engine, running):
    host, names = running
    engine.kill_everything()
    boot_ns, mono_ns = now()
    with Observer(host.ports) as observer:
        engine.start()
        host.until_ready(names, boot_ns)
    check_restart(host, names, boot_ns, mono_ns)
    observer.check()
    assert len({name for name, _, _ in observer.started}) == len(names)


def test_everything_killed_in_the_middle_of_the_starts(engine, running):
    """A holder dies with everybody else: its wreck is reclaimed, and the restart is as good as any."""
    host, names = running
    engine.kill_everything()
    boot_ns, _ = now()
    engine.start()
    proc.until(lambda: len(host.log(boot_ns).grants()) >= 2, 30, host.report, every=0.01)
    engine.kill_everything()
    boot_ns, mono_ns = now()
    with Observer(host.ports) as observer:
        engine.start()
        host.until_ready(names, boot_ns)
    observer.check()
    oracle.check_windows(host.attempts(mono_ns), SETTLE_NS)
    oracle.check_no_failures(host.attempts(mono_ns))
    oracle.check_kv(host.attempts(mono_ns), {name: kv_alone() for name in names})
    oracle.check_priorities(host.log(boot_ns), host.priorities, GATHER_NS)


def test_docker_restart_of_all_at_once(engine, running):
    host, names = running
    boot_ns, mono_ns = now()
    with Observer(host.ports) as observer:
        threads = [threading.Thread(target=engine.api, args=("POST", f"/containers/{name}/restart?t=10")) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        host.until_ready(names, boot_ns)
    observer.check()
    oracle.check_windows(host.attempts(mono_ns), SETTLE_NS)
    oracle.check_no_failures(host.attempts(mono_ns))
    oracle.check_order(host.log(boot_ns), GATHER_NS)
    for name in names:
        assert engine.state(name)["State"]["Running"]
        assert engine.state(name)["RestartCount"] == 0  # docker restart zeroes it: nobody may rely on it


def test_without_the_gate_the_same_restart_fails(engine, image, site):
    host = site()
    names = five(host, image("scratch"), gated=False, fake={"load-ms": "400"})
    # One after the other: so every one of them is fine before the engine dies.
    for name in names:
        engine.start_container(name)
        proc.until(lambda: any(l["svc"] == name and l["phase"] == "serve" for l in host.journal()), 20, host.report)
    oracle.check_no_failures(host.attempts())
    engine.kill_everything()
    _, mono_ns = now()
    engine.start()
    proc.until(lambda: len([a for a in host.attempts(mono_ns) if a.ready or a.failure]) >= len(names), 30, host.report)
    wrong = [a for a in host.attempts(mono_ns) if a.failure or (a.kv is not None and abs(a.kv - kv_alone()) > 4096)]
    failed = [a for a in host.attempts(mono_ns) if a.failure]
    print(f"{len(failed)} failed starts, {len(wrong) - len(failed)} mis-sized, of {len(names)} servers")
    assert wrong, "the restart without the gate went well: the gated one proves nothing"
    with pytest.raises(oracle.Violation):
        oracle.check_windows(host.attempts(mono_ns), 0)


def test_a_container_killed_while_it_holds_the_gate(engine, image, site):
    """docker kill of the holder: its lock is free before its processes are gone, the wreck covers the gap."""
    host = site()
    host.server("a1", image("scratch"), priority=5, policy="no", fake={"load-ms": "1500"})
    host.server("b1", image("scratch"))
    start_at_once(engine, ["a1", "b1"])
    proc.until(lambda: any(a.service == "a1" for a in host.attempts()), 20, host.report)
    engine.api("POST", "/containers/a1/kill?signal=KILL")
    host.until_ready(["b1"])
    assert "reclaiming" in host.log().states("b1")
    oracle.check_windows(host.attempts(), 0)
    oracle.check_kv(host.attempts(), {"b1": kv_alone()})


def test_a_paused_container_in_the_queue_is_passed_over(engine, image, site):
    host = site()
    host.server("a1", image("scratch"), priority=5, fake={"load-ms": "800"})
    host.server("p1", image("scratch"), priority=3)
    host.server("b1", image("scratch"), priority=0)
    start_at_once(engine, ["a1", "p1", "b1"])
    proc.until(lambda: host.log().first("p1", "queued") and host.log().first("a1", "starting"), 20, host.report)
    engine.api("POST", "/containers/p1/pause")
    host.until_ready(["a1", "b1"])
    assert "passed over" in engine.logs("b1")
    engine.api("POST", "/containers/p1/unpause")
    host.until_ready(["p1"])
    oracle.check_windows(host.attempts(), SETTLE_NS)


def test_a_crash_loop_is_held_and_dockerds_counter_does_not_matter(engine, image, site):
    host = site()
    host.server("b1", image("scratch"), fake={"crash": "3"}, env={"ANTIFREEZE_MAX_FAILURES": "3"})
    host.server("a1", image("scratch"))
    start_at_once(engine, ["b1", "a1"])
    host.until_ready(["a1"])
    held = proc.until(lambda: next((l for l in host.log().of("b1") if "gate reset" in l["reason"]), None), 20, host.report)
    assert "3 failed starts" in held["reason"]
    assert engine.state("b1")["State"]["Running"]
    engine.api("POST", "/containers/b1/restart?t=5")
    time.sleep(0.5)
    assert len([a for a in host.attempts() if a.service == "b1"]) == 3
    assert engine.state("b1")["State"]["Running"]


@pytest.mark.parametrize("mutant", ["no_wreck", "no_settle"])
def test_a_broken_rule_is_noticed_in_containers_too(engine, image, site, mutant):
    for _ in range(4):
        host = site(release_lag="100")
        try:
            names = [host.server(name, image("scratch"), priority=priority, policy="no", mutant=mutant,
                                 fake={"import-ms": "1", "load-ms": "500"})
                     for name, priority in (("a1", 5), ("b1", 0), ("c1", -1))]
            start_at_once(engine, names)
            if mutant == "no_wreck":
                proc.until(lambda: any(a.service == "a1" for a in host.attempts()), 20, host.report)
                engine.api("POST", "/containers/a1/kill?signal=KILL")
                names = ["b1", "c1"]
            ended = len(names)
            proc.until(lambda: len({a.service for a in host.attempts() if a.ready or a.failure}) >= ended, 20, host.report)
            oracle.check_windows(host.attempts(), SETTLE_NS if mutant == "no_settle" else 0)
        except oracle.Violation as seen:
            print(f"{mutant}: {seen}")
            return
        finally:
            engine.remove_all()
    pytest.fail(f"nothing was noticed without the rule behind {mutant}")
