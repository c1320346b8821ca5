"""Issue "Servers start one at a time", item 1, with the runtime in place of an entrypoint: no image, no command edited."""

import statistics
import threading
import time

import pytest

from lib import oracle, proc
from lib.observer import Observer
from lib.world import MS

SETTLE_NS = 200 * MS
GATHER_NS = 1000 * MS
FIVE = {"s0": 0, "s1": 3, "s2": -2, "s3": 1, "s4": 2}
KV = round((15 - 2 - 1 - 0.3) * 2**30)


def now() -> tuple[int, int]:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME), time.monotonic_ns()


def start_all(engine, names) -> None:
    threads = [threading.Thread(target=engine.start_container, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


def check(host, names, boot_ns: int, mono_ns: int) -> None:
    log, attempts = host.log(boot_ns), host.attempts(mono_ns)
    assert {attempt.service for attempt in attempts} == set(names)
    oracle.check_windows(attempts, SETTLE_NS)
    oracle.check_no_failures(attempts)
    oracle.check_order(log, GATHER_NS)
    oracle.check_priorities(log, FIVE, GATHER_NS)
    oracle.check_kv(attempts, {name: KV for name in names})
    oracle.check_total(log, attempts, SETTLE_NS, GATHER_NS)


@pytest.fixture
def five(engine, image, site):
    """Five servers, ready. Priorities stand in the host's configuration alone."""
    host = site(FIVE)
    for index, name in enumerate(FIVE):
        host.server(name, image("scratch"), policy=("always", "unless-stopped")[index % 2])
    start_all(engine, FIVE)
    host.until_ready(list(FIVE))
    return host


def test_first_start_of_all_at_once(five):
    check(five, list(FIVE), 0, 0)


def test_everything_killed_and_the_engine_started_again(engine, five):
    engine.kill_everything()
    boot_ns, mono_ns = now()
    with Observer(five.ports) as observer:
        engine.start()
        five.until_ready(list(FIVE), boot_ns)
    check(five, list(FIVE), boot_ns, mono_ns)
    observer.check()
    assert len({name for name, _, _ in observer.started}) == len(FIVE)


def test_what_docker_shows_of_a_container_is_the_same_but_for_the_runtime(engine, image, site):
    host = site()
    shown = {}
    for runtime in ("runc", "antifreeze"):
        name = host.server("same", image("scratch"), runtime=runtime, policy="no")
        host.ports[name] = 18999
        engine.start_container(name)
        proc.until(lambda: engine.state(name)["State"]["Running"], 10, host.report)
        shown[runtime] = engine.state(name)
        engine.api("DELETE", f"/containers/{name}?force=1")
    words = [shown[runtime]["Args"] for runtime in shown]
    port = words[0].index("--port") + 1
    words[0][port] = words[1][port]

    def flat(value, path="") -> dict:
        if isinstance(value, dict):
            return {key: leaf for name, one in value.items() for key, leaf in flat(one, f"{path}.{name}").items()}
        return {path: value}
    one, other = flat(shown["runc"]), flat(shown["antifreeze"])
    own = {".Id", ".Created", ".State.Pid", ".State.StartedAt", ".ResolvConfPath", ".HostnamePath", ".HostsPath", ".LogPath"}
    different = {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)} - own
    different = {key for key in different if not key.startswith((".GraphDriver", ".Config.Hostname", ".NetworkSettings"))}
    assert different <= {".HostConfig.Runtime", ".Config.Entrypoint"}, different
    assert other[".HostConfig.Runtime"] == "antifreeze"


def restart_seconds(engine) -> float:
    engine.kill_everything()
    begin = time.monotonic()
    engine.start()
    return time.monotonic() - begin


def test_dockerds_api_is_up_as_soon_as_without_the_gate(engine, image, site):
    """It never waits: dockerd waits for its restarts before it answers, and they take no longer than ungated ones."""
    seconds: dict[str, list[float]] = {"runc": [], "antifreeze": []}
    for _ in range(3):
        for runtime, measured in seconds.items():  # in turn: both see the same load of this machine
            host = site(FIVE)
            for name in FIVE:
                host.server(name, image("scratch"), runtime=runtime, fake={"load-ms": "3000"})
            start_all(engine, FIVE)
            measured.append(restart_seconds(engine))
            assert {line["service"] for line in host.log().lines} == (set(FIVE) if runtime == "antifreeze" else set())
            host.close()
    print(f"API up after {seconds}")
    assert statistics.median(seconds["antifreeze"]) <= statistics.median(seconds["runc"]) + 1.0
