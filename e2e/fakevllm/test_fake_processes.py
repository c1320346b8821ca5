"""Who is whose parent, what stays behind, and what the ledger makes of it."""

import os
import pathlib
import random
import signal
import socket
import time

import pytest

from fake_http import Client
from fake_machine import BINARY, GIB, free_port, until


def comm(pid):
    return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()


def parent(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def test_the_processes_are_called_as_vllm_calls_them(machine):
    a = machine.serve("a", FAKE_MARK="here")
    engine = a.line("settled")["pid"]
    assert (comm(a.pid), comm(engine)) == ("vllm", "VLLM::EngineCor")
    assert pathlib.Path(f"/proc/{engine}/cmdline").read_bytes().rstrip(b"\0") == b"VLLM::EngineCore"
    assert b"serve" in pathlib.Path(f"/proc/{a.pid}/cmdline").read_bytes()
    assert parent(engine) == a.pid
    # setproctitle overwrites the environment of the engine, not that of its parent.
    assert b"FAKE_MARK=here" in pathlib.Path(f"/proc/{a.pid}/environ").read_bytes()
    assert b"FAKE_MARK" not in pathlib.Path(f"/proc/{engine}/environ").read_bytes()
    b = machine.start("b", "--fake-keep-environ", "--port", 0, "--gpu-memory-utilization", ".05", "--fake-weights",
                      "1GiB", FAKE_MARK="here")
    engine = b.line("settled")["pid"]
    assert b"FAKE_MARK=here" in pathlib.Path(f"/proc/{engine}/environ").read_bytes()


def test_a_killed_parent_leaves_an_engine_that_keeps_its_memory(machine):
    a = machine.serve("a")
    engine = a.line("settled")["pid"]
    before = machine.show()["used"]
    a.process.kill()
    a.wait()
    assert running(engine) and machine.show()["used"] == before > 0
    os.kill(engine, signal.SIGTERM)
    until(lambda: not running(engine), "the orphan's end")
    assert machine.show()["used"] == 0


def test_with_pdeathsig_the_engine_goes_too(machine):
    a = machine.serve("a", "--fake-pdeathsig")
    engine = a.line("settled")["pid"]
    a.process.kill()
    a.wait()
    until(lambda: not running(engine), "the engine's end")
    assert machine.show()["used"] == 0


def test_an_unclean_exit_leaves_the_engine(machine):
    a = machine.serve("a", "--fake-unclean-exit")
    engine = a.line("settled")["pid"]
    a.term()
    assert a.wait() == 0
    assert running(engine) and machine.show()["used"] > 0


def test_the_memory_of_the_dead_stays_booked_for_the_release_lag(machine):
    machine.device("init", "--release-lag", "400")
    a = machine.serve("a")
    before = machine.show()["used"]
    a.process.kill()
    os.kill(a.line("settled")["pid"], signal.SIGKILL)
    a.wait()
    watch = machine.start("watch", "device", "watch", "--dir", str(machine.gpu), "--every", 2)
    dying = until(lambda: [r for r in machine.show()["records"] if r["dying"]], "the death to be noticed")
    noticed = time.monotonic()
    assert dying and machine.show()["used"] == before
    freed = machine.line(phase="freed", svc="a")
    assert time.monotonic() - noticed > 0.3
    assert (freed["bytes"], freed["dead_pid"]) == (before, a.line("settled")["pid"])
    assert machine.meminfo()["MemAvailable"] == machine.meminfo()["MemTotal"]
    watch.term()
    assert watch.wait() == 0


def test_a_clean_end_takes_the_lag_as_well(machine):
    machine.device("init", "--release-lag", "200")
    a = machine.serve("a")
    a.term()
    assert a.wait() == 0
    assert machine.show()["used"] > 0
    until(lambda: machine.show()["used"] == 0, "the lag to be over")


def test_a_dead_neighbour_is_noticed_without_anybody_asking(machine):
    a = machine.serve("a", "--gpu-memory-utilization", ".3")
    machine.serve("b", "--gpu-memory-utilization", ".3")
    a.process.kill()
    os.kill(a.line("settled")["pid"], signal.SIGKILL)
    machine.line(phase="freed", svc="a")  # b's tick does it
    used = machine.show()["used"]
    assert machine.meminfo()["MemAvailable"] == (100 * GIB - used) // 1024


def test_tensor_parallel_workers_hold_a_device_each(machine):
    for gpu in (0, 1):
        machine.device("init", "--discrete", "--gpu", str(gpu), "--uuid", f"GPU-{gpu}")
    a = machine.serve("a", "-tp", 2, CUDA_VISIBLE_DEVICES="GPU-1,GPU-0")
    first, second = machine.line(svc="a", phase="settled", gpu=1), machine.line(svc="a", phase="settled", gpu=0)
    assert {comm(first["pid"]), comm(second["pid"])} == {"VLLM::Worker_TP"}
    core = parent(first["pid"])
    assert comm(core) == "VLLM::EngineCor" and parent(second["pid"]) == core
    assert Client(a.port).post("/v1/completions", max_tokens=2)[0] == 200
    os.kill(core, signal.SIGKILL)  # the death pipe ends the workers
    until(lambda: not running(first["pid"]) and not running(second["pid"]), "the workers' end")
    a.term()
    assert a.wait() == 0


def test_a_failing_worker_fails_the_start(machine):
    a = machine.start("a", "--tensor-parallel-size=2", "--fake-crash", "load", "--port", 0)
    assert a.wait() == 1
    assert "WorkerProc initialization failed" in a.text()
    machine.line(svc="a", phase="exit", role="worker")  # the other one was ended
    until(lambda: machine.show()["used"] == 0, "nothing booked")


def test_a_device_below_its_floor_wedges(machine):
    machine.device("init", "--total", "30GiB", "--host-floor", "8GiB", "--wedge-on-floor")
    a = machine.start("a", "--gpu-memory-utilization", ".9", "--port", 0, "--fake-child-grace-ms", 100)
    a.line("wedged")
    assert "NVRM: GPU0 nvCheckOkFailedNoLog: Check failed: Out of memory [NV_ERR_NO_MEMORY]" in (
        machine.gpu / "kmsg").read_text()
    assert machine.show()["wedged"]
    tenant = machine.start("tenant", "device", "hold", "1MiB", "--dir", str(machine.gpu), "--svc", "tenant")
    tenant.line("wedged")
    tenant.term()
    a.term()
    assert a.wait() == 130
    assert a.line("engine_exit")["how"] == -signal.SIGKILL  # deaf to TERM
    assert tenant.process.poll() is None
    tenant.process.kill()
    machine.device("init")  # a reboot
    machine.start("b", "--port", 0).line("serve")


def test_the_floor_alone_is_a_kernel_line_and_no_wedge(machine):
    machine.device("init", "--host-floor", "90GiB")
    machine.serve("a")
    assert (machine.gpu / "kmsg").read_text().count("NV_ERR_NO_MEMORY") > 1


def test_memory_moves_after_ready_as_the_pattern_says(machine):
    a = machine.serve("a", "--fake-settle", "+2GiB@2s,-1GiB@4s")
    ready = a.line("serve")["free"]
    a.line("settled")
    assert [line["free"] - ready for line in machine.lines(svc="a", phase="settle")] == [-2 * GIB, -1 * GIB]
    first, second = machine.lines(svc="a", phase="settle")
    assert second["mono_ns"] - first["mono_ns"] > 150_000_000  # 2 s at speed 10


def test_a_setsid_child_outlives_the_server_with_memory_and_port(machine):
    port = free_port()
    a = machine.serve("a", "--fake-setsid-child", f"hold=3GiB,port={port},ignore-term", "--gpu-memory-utilization", ".3")
    child = machine.line(svc="a", phase="hold")["pid"]
    assert os.getsid(child) != os.getsid(a.pid) and parent(child) != a.pid
    a.term()
    assert a.wait() == 0
    socket.create_connection(("127.0.0.1", port)).close()
    assert machine.show()["used"] == 3 * GIB
    os.kill(child, signal.SIGTERM)
    socket.create_connection(("127.0.0.1", port)).close()


@pytest.mark.parametrize("words, code", [(("--exit", "7"), 7), (("--signal", "SEGV"), -11), (("--setsid",), 0)])
def test_the_child_tool_ends_as_told(machine, words, code):
    machine.device("init")
    c = machine.start("c", "child", "--for", "10ms", "--hold", "1GiB", "--zombies", "2", *words)
    assert c.wait() == code
    machine.line(svc="c", phase="exit", role="child")


def test_sixteen_first_users_make_one_ledger(machine):
    tenants = [machine.start(f"t{i}", "device", "hold", "1GiB", "--dir", str(machine.gpu), "--svc", f"t{i}")
               for i in range(16)]
    for tenant in tenants:
        tenant.line("hold")
    assert machine.show()["used"] == 16 * GIB
    frees = [line["free"] for line in machine.lines(phase="hold")]
    assert frees == [100 * GIB - i * GIB for i in range(1, 17)]  # the journal's order is the ledger's


def test_real_memory_is_touched_when_asked_for(machine):
    a = machine.serve("a", "--fake-real-memory", "64MiB")
    status = pathlib.Path(f"/proc/{a.line('settled')['pid']}/status").read_text()
    rss_kb = int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])
    assert rss_kb > 64 * 1024


@pytest.mark.skipif(os.geteuid() != 0, reason="a PID namespace needs root")
def test_the_living_in_other_pid_namespaces_are_known_from_the_dead(machine):
    # Containers share the ledger but not their pids, so liveness is a lock and no pid.
    machine.device("init")
    inside = machine.start("inside", "plain", "--pid", "--fork", "--kill-child", "--mount-proc", BINARY, "device", "hold",
                           "4GiB", "--dir", machine.gpu, "--svc", "inside", program="unshare")
    line = inside.line("hold")
    assert (line["pid"], machine.show()["used"]) == (1, 4 * GIB)
    inside.process.kill()
    until(lambda: machine.show()["used"] == 0, "the namespace's end to be noticed")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_storm_of_starts_and_kills_leaves_a_consistent_ledger(machine, seed):
    chance = random.Random(seed)
    machine.device("init", "--release-lag", str(chance.choice([0, 20])))
    words = ("--port", 0, "--gpu-memory-utilization", ".1", "--fake-weights", "3GiB", "--fake-speed", 20)
    servers = [machine.start(f"s{i}", *words, "--fake-import-ms", chance.randint(0, 300)) for i in range(8)]
    for count in (5, 20, 40, 60):
        until(lambda: len(machine.journal()) >= count, f"{count} lines")
        victim = chance.choice(servers)
        victim.process.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM]))
        for line in machine.lines(role="engine", svc=chance.choice(servers).name)[-1:]:
            kill(line["pid"])
    for server in servers:
        server.process.kill()
        server.wait()
    for line in machine.lines(role="engine", phase="init_device"):
        kill(line["pid"])
    until(lambda: machine.show()["records"] == [], "everything to be freed")
    assert machine.show()["used"] == 0
    times = [line["mono_ns"] for line in machine.journal()]
    assert times == sorted(times)
    assert machine.meminfo()["MemAvailable"] == machine.meminfo()["MemTotal"]
