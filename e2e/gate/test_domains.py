"""S5, S6, S8: what must not start together.

The same GPU never, different GPUs at once, several GPUs together, and the host excludes all.
"""

import random

import pytest

from lib import oracle, proc
from lib.seeds import seeds
from lib.world import MS, SETTLE_MS, uuid

PARALLEL = {"load-ms": 250}


def gpu_server(world, name: str, gpus: list[int], order: list[int] | None = None, **options):
    server = world.server(name, engine_args=["-tp", str(len(gpus))], **options)
    server.gate |= {"domain": "gpu:" + ",".join(uuid(gpu) for gpu in order or gpus), "on-short": "start"}
    server.fake |= {"gpu": ",".join(map(str, gpus))}
    return server


@pytest.fixture
def machine(make_world):
    return make_world(gpus=4)


def test_s8_servers_on_different_gpus_start_in_parallel(machine):
    a, b = gpu_server(machine, "A", [0], fake=dict(PARALLEL)), gpu_server(machine, "B", [1], fake=dict(PARALLEL))
    for server in (a, b):
        machine.start(server)
    machine.until_ready()
    log = machine.log()
    assert log.first("B", "starting")["boottime_ns"] < log.first("A", "settling")["boottime_ns"]
    assert log.first("A", "starting")["boottime_ns"] < log.first("B", "settling")["boottime_ns"]


def test_s8_servers_on_one_gpu_never_do(machine):
    for name in ("A", "B", "C"):
        machine.start(gpu_server(machine, name, [2]))
    machine.until_ready()
    oracle.check_windows(machine.attempts(), SETTLE_MS * MS)


def test_the_host_excludes_every_gpu(machine):
    machine.start(gpu_server(machine, "A", [0], priority=2))
    machine.start(machine.server("H", priority=1))
    machine.start(gpu_server(machine, "B", [1], priority=0))
    machine.until_ready()
    oracle.check_windows(machine.attempts(), SETTLE_MS * MS, lambda a, b: "H" in (a.service, b.service))


def test_s6_overlap_is_of_gpus_not_of_strings(machine):
    """0,1 and 1,0 in another order and another case are the same two GPUs."""
    a = gpu_server(machine, "A", [0, 1], priority=1, fake=dict(PARALLEL))
    b = gpu_server(machine, "B", [0, 1], order=[1, 0])
    b.gate["domain"] = "gpu:" + ",".join(word.upper() for word in b.gate["domain"].removeprefix("gpu:").split(","))
    for server in (a, b):
        machine.start(server)
    machine.until_ready()
    oracle.check_windows(machine.attempts(), SETTLE_MS * MS)
    domains = {line["service"]: line["domain"] for line in machine.log().lines}
    assert domains["A"] == domains["B"]


def test_s5_several_gpus_are_granted_together(machine):
    """Nobody holds one GPU while it waits for another: C runs beside the waiting B."""
    a = gpu_server(machine, "A", [0], priority=3, fake={"load-ms": 500})
    b = gpu_server(machine, "B", [0, 1], priority=2)
    for server in (a, b):
        machine.start(server)
    machine.until_state(a, "starting")
    machine.until_state(b, "queued")
    c = gpu_server(machine, "C", [1], priority=5)
    machine.start(c)
    machine.until_state(c, "starting")
    assert "granted" not in machine.log().states("B")
    machine.until_ready()


@pytest.mark.parametrize("seed", seeds(10, 100), ids=lambda seed: f"seed-{seed}")
def test_s5_overlapping_sets_never_deadlock(machine, seed):
    rng = random.Random(seed)
    sets = [rng.choice([[0, 1], [1], [1, 2], [0], [2, 3], [0, 1, 2, 3], [3]]) for _ in range(8)]
    servers = [gpu_server(machine, f"s{i}", gpus, priority=rng.randint(-2, 2)) for i, gpus in enumerate(sets)]
    for server in servers:
        machine.start(server)
    machine.until_ready(timeout=20)
    used = {server.name: set(gpus) for server, gpus in zip(servers, sets)}
    oracle.check_windows(machine.attempts(), SETTLE_MS * MS, lambda a, b: bool(used[a.service] & used[b.service]))


def test_an_unknown_gpu_means_the_whole_host(machine):
    a = machine.server("A", gate={"domain": "gpu:GPU-nonsense"})
    machine.start(a)
    machine.until_ready([a])
    assert machine.log().first("A", "queued")["domain"] == "host"
    assert "means the whole host" in machine.stderr(a)


def test_a_gpu_domain_without_a_driver_means_the_whole_host(machine):
    a = machine.server("A", gate={"domain": "gpu"})
    machine.start(a)
    machine.until_ready([a])
    assert machine.log().first("A", "queued")["domain"] == "host"


def test_an_empty_gpu_list_is_a_usage_error(machine):
    a = machine.server("A", gate={"domain": "gpu:"})
    machine.start(a)
    assert proc.wait(a.process, 5) == 2
