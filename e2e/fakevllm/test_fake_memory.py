"""meminfo of a unified and of a discrete machine; page cache and what mem_get_info calls free."""

import pytest

from fake_machine import GIB

KIB = 1024


def test_device_memory_leaves_both_page_cache_only_memfree(machine):
    machine.device("init", "--page-cache", "30GiB")
    before = machine.meminfo()
    assert before == {"MemTotal": 100 * GIB // KIB, "MemFree": 70 * GIB // KIB, "MemAvailable": 100 * GIB // KIB,
                      "Buffers": 0, "Cached": 30 * GIB // KIB, "SwapTotal": 0, "SwapFree": 0}
    machine.start("t", "device", "hold", "20GiB", "--dir", str(machine.gpu), "--svc", "t").line("hold")
    now = machine.meminfo()
    assert (now["MemAvailable"], now["MemFree"], now["Cached"]) == (80 * GIB // KIB, 50 * GIB // KIB, 30 * GIB // KIB)


def test_page_cache_gives_way_to_device_memory(machine):
    machine.device("init", "--page-cache", "60GiB")
    machine.start("t", "device", "hold", "90GiB", "--dir", str(machine.gpu), "--svc", "t").line("hold")
    now = machine.meminfo()
    assert (now["MemFree"], now["Cached"], now["MemAvailable"]) == (0, 10 * GIB // KIB, 10 * GIB // KIB)


def test_loading_fills_the_page_cache(machine):
    machine.serve("a", "--fake-weights", "10GiB", "--fake-cache-factor", "1.5", "--gpu-memory-utilization", ".3")
    assert machine.meminfo()["Cached"] == 15 * GIB // KIB


def test_a_discrete_device_is_not_the_hosts_memory(machine):
    machine.device("init", "--discrete")
    machine.serve("a")
    now = machine.meminfo()
    assert now["MemAvailable"] == now["MemTotal"] and now["Cached"] == 0


@pytest.mark.parametrize("semantics, code", [("available", None), ("free", 1)])
def test_page_cache_counts_as_used_where_mem_get_info_means_memfree(machine, semantics, code):
    machine.device("init", "--page-cache", "60GiB")
    a = machine.start("a", "--gpu-memory-utilization", ".5", "--free-semantics", semantics, "--port", 0)
    if code is None:
        a.line("serve")
    else:
        assert a.wait() == code
        assert "Free memory on device cuda:0 (39.50/100.00 GiB)" in a.text()


def test_the_cache_command_sets_it(machine):
    machine.device("init")
    machine.device("cache", "12GiB")
    assert machine.meminfo()["Cached"] == 12 * GIB // KIB
    machine.device("cache", "0")
    assert machine.meminfo()["Cached"] == 0


def test_a_server_makes_the_ledger_that_is_not_there(machine):
    machine.serve("a", FAKE_GPU_TOTAL="48GiB", FAKE_GPU_UNIFIED="0", FAKE_HOST_FLOOR="1GiB")
    shown = machine.show()
    assert (shown["total"], shown["unified"], shown["host_floor"]) == (48 * GIB, False, GIB)
