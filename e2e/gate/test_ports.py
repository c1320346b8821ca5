"""S9: with SO_REUSEPORT two servers share a port, and a neighbour's 200 must not count as one's own."""

from lib import http, oracle
from lib.world import MS, SETTLE_MS


def test_s9_a_healthy_neighbour_on_the_same_port_does_not_count(world):
    a = world.server("A", priority=1)
    b = world.server("B", port=a.port, fake={"load-ms": 500})
    c = world.server("C", priority=-1)
    world.start(a)
    world.until_ready([a])
    world.start(b)
    world.until_state(b, "starting")
    world.start(c)
    world.until_ready()
    served = next(line for line in world.journal() if line["svc"] == "B" and line["phase"] == "serve")
    settling = world.log().first("B", "settling")
    assert settling["boottime_ns"] >= served["boot_ns"], "B was called ready because A answered on its port"
    assert "own socket" in settling["reason"]
    assert "already served by somebody else" in world.stderr(b)
    oracle.check_windows(world.attempts(), SETTLE_MS * MS)


def test_a_curl_loop_would_have_been_fooled(world):
    """The control: what the usual shell gate looks at says healthy while B still loads."""
    a = world.server("A")
    b = world.server("B", port=a.port, gated=False, fake={"load-ms": 800})
    world.start(a)
    world.until_ready([a])
    world.start(b)
    world.until_phase(b, "init_device")
    assert http.healthy(b.port)
    assert not [line for line in world.journal() if line["svc"] == "B" and line["phase"] == "serve"]


def test_an_answer_on_a_unix_socket_counts(world):
    a = world.server("A")
    socket = world.dir / "a.sock"
    a.engine_args = ["--uds", str(socket)]
    world.start(a)
    world.until_ready([a])
    assert "own socket" in world.log().first("A", "settling")["reason"]


def test_a_server_that_answers_503_while_loading_is_not_ready(world):
    """llama-server listens at once and says 503 until its model is there."""
    a = world.server("A")
    argv = world.engine_argv(a)
    words = [argv[0], "--as", "llama", "--model", "m.gguf", "--port", str(a.port), "--host", "127.0.0.1",
             *[word for word in argv[argv.index("--fake-gpu-dir"):]]]
    a.gate["ready"] = f"http:http://127.0.0.1:{a.port}/health"
    a.fake["load-ms"] = 300
    words = [w if words[i - 1] != "--fake-load-ms" else "300" for i, w in enumerate(words)]
    world.start(a, words)
    world.until_ready([a])
    served = next(line for line in world.journal() if line["svc"] == "A" and line["phase"] == "serve")
    assert world.log().first("A", "settling")["boottime_ns"] >= served["boot_ns"] - 5 * MS
