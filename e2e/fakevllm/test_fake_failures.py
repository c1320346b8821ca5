"""Failure texts, exit codes, planned accidents."""

import os
import signal
import time

import pytest

from fake_http import Client
from fake_machine import GIB, free_port


def test_too_little_free_at_the_start_is_signature_a(machine):
    machine.device("init", "--total", "10GiB")
    a = machine.start("a", "--gpu-memory-utilization", "0.96", "--port", 0)
    assert a.wait() == 1
    assert ("ValueError: Free memory on device cuda:0 (9.50/10.00 GiB) on startup is less than desired GPU memory "
            "utilization (0.96, 9.60 GiB)") in a.text()
    assert "EngineCore failed to start." in a.text()
    assert "Engine core initialization failed" in a.text()
    assert "Failed core proc(s): {'EngineCore_DP0': 1}" in a.text()
    assert machine.show()["used"] == 0


def test_a_cache_below_one_request_is_signature_d(machine):
    a = machine.start("a", "--gpu-memory-utilization", ".12", "--fake-weights", "10GiB", "--fake-peak", "1GiB",
                      "--max-model-len", 16384, "--port", 0)
    assert a.wait() == 1
    assert "To serve at least one request with the models's max seq len (16384)" in a.text()
    assert "larger than the available KV cache memory (0.70 GiB)" in a.text()


def test_weights_beyond_the_device_are_signature_e(machine):
    machine.device("init", "--total", "10GiB")
    a = machine.start("a", "--gpu-memory-utilization", ".5", "--fake-weights", "12GiB", "--port", 0)
    assert a.wait() == 1
    assert "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB" in a.text()


@pytest.mark.parametrize("how, code", [("exit=3", 3), ("signal=SEGV", -11), ("signal=KILL", -9)])
def test_an_engine_that_crashes_while_loading_ends_the_server_with_1(machine, how, code):
    a = machine.start("a", "--fake-crash", f"load:{how}", "--port", 0)
    assert a.wait() == 1
    assert f"{{'EngineCore_DP0': {code}}}" in a.text()
    assert machine.show()["used"] == 0


def test_a_parent_can_crash_too(machine):
    a = machine.start("a", "--fake-crash", "import:exit=7", "--port", 0)
    assert a.wait() == 7
    b = machine.start("b", "--fake-crash", "profile:signal=ABRT:who=parent", "--fake-profile-ms", 5000, "--port", 0)
    assert b.wait() == -signal.SIGABRT
    assert [record["svc"] for record in machine.show()["records"]] == ["b"]  # its engine is an orphan


def test_a_crash_may_come_later_within_its_phase(machine):
    a = machine.start("a", "--fake-crash", "profile:after_ms=100", "--fake-profile-ms", 60000, "--port", 0)
    assert a.wait() == 1
    phases = [line["phase"] for line in machine.lines(svc="a", role="engine")]
    assert phases[-3:] == ["profiling", "crash", "freed"]


def test_crashes_are_counted_across_starts(machine):
    words = ("--fake-crash", "4:exit=1:times=2", "--port", 0)
    assert machine.start("a", *words).wait() == 1
    assert machine.start("a", *words).wait() == 1
    machine.start("a", *words).line("serve")


def test_a_hung_engine_still_takes_term(machine):
    a = machine.start("a", "--fake-hang", "load", "--port", 0)
    a.line("hang")
    assert a.line("load")["free"] == machine.show()["free"]
    a.term()
    assert a.wait() == 130


def test_term_before_ready_is_130_and_after_it_0(machine):
    a = machine.start("a", "--fake-wait", f"profile:{machine.folder}/never", "--port", 0)
    a.line("loaded", count=4)
    a.term()
    assert a.wait() == 130
    b = machine.serve("b")
    b.term()
    assert b.wait() == 0
    assert machine.show()["used"] == 0


def test_who_ignores_term_is_killed_only(machine):
    a = machine.serve("a", "--fake-ignore-term", "--gpu-memory-utilization", ".3")
    a.term()
    a.term()
    machine.start("probe", "--port", 0, "--gpu-memory-utilization", ".3").line("serve")  # long enough for a signal to arrive
    assert a.process.poll() is None
    a.process.kill()
    assert a.wait() == -signal.SIGKILL


def test_an_engine_deaf_to_term_is_killed_after_the_grace(machine):
    # Stopped, it cannot act on TERM; KILL works all the same.
    a = machine.serve("a", "--fake-child-grace-ms", 100)
    engine = a.line("settled")["pid"]
    os.kill(engine, signal.SIGSTOP)
    a.term()
    assert a.wait() == 0
    assert a.line("engine_exit")["how"] == -signal.SIGKILL
    assert machine.show()["used"] == 0


@pytest.mark.parametrize("words, code", [((), 0), (("--fake-dead-exit", 9), 9)])
def test_an_engine_that_dies_while_serving(machine, words, code):
    a = machine.serve("a", "--fake-watchdog-ms", 1500, "--fake-crash", "serve:signal=SEGV:after_ms=300", *words)
    a.line("engine_exit")
    status, _, _ = Client(a.port).get("/health")
    assert status == 503
    began = time.monotonic()
    assert a.wait() == code
    assert 0.05 < time.monotonic() - began < 2
    assert "EngineDeadError" in a.text()


def test_a_taken_port_ends_the_start(machine):
    port = free_port()
    machine.start("tei", "--as", "tei", "--model-id", "m", "--port", port).line("serve")
    b = machine.start("b", "--port", port)
    assert b.wait() == 1
    assert "[Errno 98] bind to 0.0.0.0 port" in b.text()


def test_two_servers_of_one_port_both_bind_with_reuseport(machine):
    a = machine.serve("a", "--gpu-memory-utilization", ".3")
    b = machine.start("b", "--port", a.port, "--host", "127.0.0.1", "--gpu-memory-utilization", ".3")
    b.line("serve")


def test_unknown_flags_and_bad_values_are_usage_errors(machine):
    assert machine.start("a", "--no-such-flag").wait() == 2
    assert machine.start("b", "--gpu-memory-utilization", "1.5").wait() == 2
    assert machine.start("c", "--fake-weights", "20").wait() == 2
    assert machine.start("d", "--max", "16").wait() == 2  # --max-model-len or --max-num-seqs?
    assert "unrecognized arguments: --no-such-flag" in machine.servers[0].text()
    assert "ambiguous option: --max" in machine.servers[3].text()


def test_a_config_file_counts_less_than_the_command_line(machine):
    config = machine.folder / "vllm.yaml"
    config.write_text("gpu_memory_utilization: 0.3  # of all\nport: 1\nenforce-eager: true\nmax-model-len: 1k\n")
    a = machine.start("a", "--config", config, "--port", 0, "--fake-peak", "1GiB")
    assert a.line("size")["requested"] == 30 * GIB
