"""The formulas of a start, alone and disturbed, to the byte (scenarios S1 to S4)."""

import pytest

from fake_machine import GIB

NT = int(0.3 * GIB + 0.5)
A = ("--gpu-memory-utilization", ".40", "--fake-weights", "20GiB", "--fake-peak", "2GiB")
B = ("--gpu-memory-utilization", ".30", "--fake-weights", "10GiB", "--fake-peak", "1GiB")


def kv(server):
    return server.line("size")["kv"]


def test_one_after_the_other_gets_what_it_would_get_alone(machine):
    a = machine.serve("a", *A)
    b = machine.serve("b", *B)
    assert kv(a) == 40 * GIB - 20 * GIB - 2 * GIB - NT  # 17.7 GiB
    assert kv(b) == 30 * GIB - 10 * GIB - 1 * GIB - NT  # 18.7 GiB
    assert "Available KV cache memory: 17.70 GiB" in a.text()
    assert "Available KV cache memory: 18.70 GiB" in b.text()
    owned = {record["svc"]: record["torch"] + record["non_torch"] for record in machine.show()["records"]}
    assert owned == {"a": 20 * GIB + GIB // 2 + NT + kv(a), "b": 10 * GIB + GIB // 2 + NT + kv(b)}


class VirtualTime:
    """Moves the servers' clock; u is one time unit of the scenario table."""

    def __init__(self, machine):
        self.machine, self.file = machine, machine.folder / "clock"
        self.go(0)

    def go(self, u):
        fresh = self.file.with_suffix(".new")
        fresh.write_text(str(int(u * 1_000_000_000)))
        fresh.rename(self.file)

    def words(self, load_u):
        return ("--fake-speed", 1, "--fake-clock", self.file, "--fake-load-ms", load_u * 1000, "--fake-load-steps",
                load_u, "--fake-profile-ms", 1000, "--fake-graph-ms", 0, "--fake-import-ms", 0)


def start_together(machine, *b_words):
    """A at 0 and B at 0.1 u; runs them until B is sized (3.1 u)."""
    time = VirtualTime(machine)
    a = machine.start("a", *A, *time.words(4), "--port", 0)
    a.line("load")
    b = machine.start("b", *b_words, *time.words(2), "--fake-import-ms", 100, "--port", 0)
    b.line("import")
    time.go(0.1)
    b.line("load")
    for step in (1, 2, 3):
        time.go(step)
        a.line("loaded", count=step)
        if step < 3:
            time.go(step + 0.1)
            b.line("loaded", count=step)
    b.line("profiling")
    time.go(3.1)
    b.line("size")
    return time, a, b


def end_of_a(time, a):
    time.go(4)
    a.line("profiling")
    time.go(5)
    a.line("serve")


def test_two_at_once_mis_size_each_other_and_say_nothing(machine):
    time, a, b = start_together(machine, *B)
    b.line("serve")
    end_of_a(time, a)
    # B was charged A's 15 GiB of weights; A was charged B's context, weights, non-torch memory and cache.
    assert kv(b) == 30 * GIB - 10 * GIB - 1 * GIB - NT - 15 * GIB
    assert kv(a) == 40 * GIB - 20 * GIB - 2 * GIB - NT - (GIB // 2 + 10 * GIB + NT + kv(b))
    assert "ERROR" not in a.text() + b.text()


def test_two_at_once_and_the_smaller_share_finds_no_room_for_its_cache(machine):
    time, a, b = start_together(machine, *B, "--gpu-memory-utilization", ".25")
    assert kv(b) == 25 * GIB - 10 * GIB - 1 * GIB - NT - 15 * GIB
    assert b.wait() == 1
    assert "No available memory for the cache blocks" in b.text()
    assert b.line("fail")["id"] == "C"
    end_of_a(time, a)
    assert kv(a) == 40 * GIB - 20 * GIB - 2 * GIB - NT  # B came and went within A's window


@pytest.mark.parametrize("old", [False, True])
def test_a_neighbour_that_goes_while_profiling_is_signature_b(machine, old):
    tenant = machine.start("tenant", "device", "hold", "8GiB", "--dir", str(machine.gpu), "--svc", "tenant")
    tenant.line("hold")
    go = machine.folder / "go"
    a = machine.start("a", "--fake-weights", "5GiB", "--gpu-memory-utilization", ".4", "--fake-wait", f"4:{go}",
                      "--port", 0, *(["--fake-old"] if old else []))
    a.line("loaded", count=4)
    tenant.term()
    assert tenant.wait() == 0
    machine.touch("go")
    assert a.wait() == 1
    s0, s1 = a.line("s0")["free"], a.line("s1")["free"]
    assert s1 - s0 == 8 * GIB - 5 * GIB - NT
    assert a.line("fail")["id"] == "B"
    wanted = (f"Error in memory profiling. Initial free memory {s0}, current free memory {s1}. This happens when the "
              "GPU memory was not properly cleaned up" if old else
              f"Error in memory profiling. Initial free memory {s0 / GIB:.2f} GiB, current free memory {s1 / GIB:.2f} "
              "GiB. This happens when other processes sharing the same container")
    assert wanted in a.text()


def test_a_stated_cache_skips_the_check_and_the_sizing(machine):
    tenant = machine.start("tenant", "device", "hold", "8GiB", "--dir", str(machine.gpu), "--svc", "tenant")
    tenant.line("hold")
    go = machine.folder / "go"
    a = machine.start("a", "--fake-weights", "5GiB", "--kv-cache-memory", "6G", "--gpu-mem", ".4", "--fake-wait",
                      f"4:{go}", "--port", 0)
    a.line("loaded", count=4)
    tenant.term()
    tenant.wait()
    machine.touch("go")
    a.line("serve")
    assert a.line("cache")["self"] - a.line("kv")["self"] == 6 * GIB


def test_sglang_takes_its_share_of_what_was_free_before_the_load(machine):
    machine.start("tenant", "device", "hold", "20GiB", "--dir", str(machine.gpu), "--svc", "tenant").line("hold")
    s = machine.start("s", "--as", "sglang", "--model-path", "m", "--mem-fraction-static", ".5", "--fake-weights",
                      "10GiB", "--fake-ctx", "0", "--port", 0)
    s.line("serve")
    assert kv(s) == 80 * GIB - 10 * GIB - 40 * GIB


def test_sglang_without_room_says_so(machine):
    s = machine.start("s", "--as", "sglang", "--model-path", "m", "--mem-fraction-static", ".1", "--port", 0)
    assert s.wait() == 1
    assert "Not enough memory. Please try to increase --mem-fraction-static" in s.text()


def test_llama_fits_its_context_to_what_is_free(machine):
    machine.start("tenant", "device", "hold", "80GiB", "--dir", str(machine.gpu), "--svc", "tenant").line("hold")
    s = machine.start("s", "--as", "llama", "-m", "m.gguf", "-c", 65536, "--fake-kv-per-token", "1MiB", "--fake-ctx",
                      "0", "--fake-weights", "10GiB", "--port", 0)
    s.line("serve")
    assert kv(s) == 9 * GIB  # 10 GiB free, 1 GiB margin
