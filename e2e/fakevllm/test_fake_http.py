"""The HTTP side: streams, keep-alive, aborts, shutdown, sleep."""

import json
import socket
import stat

import pytest

from fake_http import Client
from fake_machine import GIB, free_port, until


def events(body):
    return [piece.removeprefix("data: ") for piece in body.decode().split("\n\n") if piece]


def refused(port):
    try:
        Client(port)
    except ConnectionRefusedError:
        return True
    return False


def test_health_is_refused_until_ready_then_200(machine):
    port = free_port()
    a = machine.start("a", "--fake-wait", f"capture:{machine.folder}/go", "--port", port)
    a.line("cache")
    assert refused(port)
    machine.touch("go")
    a.line("serve")
    for path in ("/health", "/ping", "/v1/models", "/version", "/load", "/metrics"):
        assert Client(port).get(path)[0] == 200, path
    assert Client(port).get("/no/such")[0] == 404
    assert Client(port).get("/v1/completions")[0] == 405
    assert json.loads(Client(port).get("/v1/models")[2])["data"][0]["id"] == "a"


def test_one_connection_carries_many_requests(machine):
    client = Client(machine.serve("a").port)
    assert client.get("/health")[0] == 200
    status, headers, body = client.post("/v1/completions", max_tokens=3)
    assert (status, headers["connection"]) == (200, "keep-alive")
    assert json.loads(body)["usage"]["completion_tokens"] == 3
    client.send("GET /health HTTP/1.1\r\n\r\nGET /version HTTP/1.1\r\nConnection: close\r\n\r\n")  # pipelined
    assert client.answer()[0] == 200
    assert client.answer()[1]["connection"] == "close"
    assert client.closed()


def test_an_idle_connection_is_closed(machine):
    client = Client(machine.serve("a", VLLM_HTTP_TIMEOUT_KEEP_ALIVE="0.1").port)
    assert client.get("/health")[0] == 200
    assert client.closed()


@pytest.mark.parametrize("path, text", [("/v1/completions", lambda c: c["text"]),
                                        ("/v1/chat/completions", lambda c: c["delta"]["content"])])
def test_a_stream_has_one_event_a_token_and_ends_with_done(machine, path, text):
    client = Client(machine.serve("a").port)
    status, headers, body = client.post(path, max_tokens=4, stream=True)
    assert (status, headers["content-type"]) == (200, "text/event-stream")
    got = events(body)
    assert got[-1] == "[DONE]"
    assert [text(json.loads(event)["choices"][0]) for event in got[:-1]] == ["ice "] * 4
    assert client.get("/health")[0] == 200  # the connection lives on


def test_a_stream_to_http_1_0_ends_with_the_connection(machine):
    client = Client(machine.serve("a").port)
    body = json.dumps({"max_tokens": 2, "stream": True})
    client.send(f"POST /v1/completions HTTP/1.0\r\nContent-Length: {len(body)}\r\n\r\n{body}")
    status, headers = client.head()
    assert status == 200 and "transfer-encoding" not in headers
    assert events(client.rest())[-1] == "[DONE]"


def test_bodies_may_be_chunked_and_announced(machine):
    client = Client(machine.serve("a").port)
    client.send("POST /v1/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
    assert client.line() == "HTTP/1.1 100 Continue"
    assert client.line() == ""
    client.send('8\r\n{"max_to\r\n')
    client.send('a;x=y\r\nkens": 2} \r\n0\r\nTrailer: t\r\n\r\n')
    assert json.loads(client.answer()[2])["usage"]["completion_tokens"] == 2


@pytest.mark.parametrize("bad, code", [("NONSENSE\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 505),
                                       ("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
                                       ("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413),
                                       ("GET / HTTP/1.1\r\nX: " + "y" * 70000, 431)])
def test_nonsense_is_answered_and_the_connection_closed(machine, bad, code):
    a = machine.serve("a")
    client = Client(a.port)
    client.send(bad)
    assert client.answer()[0] == code
    assert client.closed()
    assert Client(a.port).get("/health")[0] == 200


def test_a_client_that_leaves_aborts_its_request(machine):
    a = machine.serve("a", "--fake-journal-requests", "--fake-token-ms", 50)
    client = Client(a.port)
    client.begin_post("/v1/completions", max_tokens=100000, stream=True)
    client.head()
    client.chunk()
    assert b":num_requests_running{model_name=\"a\"} 1.0" in Client(a.port).get("/metrics")[2]
    client.socket.close()
    assert a.line("abort")["produced"] >= 1
    until(lambda: b'running{model_name="a"} 0.0' in Client(a.port).get("/metrics")[2], "no request left")


def test_a_slow_reader_gets_everything_and_holds_up_nobody(machine):
    a = machine.serve("a", "--fake-token-ms", 0.01)
    slow = Client(a.port, receive_buffer=32768)
    slow.begin_post("/v1/completions", max_tokens=1500, stream=True)
    slow.head()
    assert json.loads(Client(a.port).post("/v1/completions", max_tokens=2)[2])["usage"]["completion_tokens"] == 2
    body = b""
    while data := slow.chunk():
        body += data
    assert len(events(body)) == 1501


def test_an_api_key_guards_v1_only(machine):
    client = Client(machine.serve("a", "--api-key", "secret").port)
    assert client.get("/health")[0] == 200
    assert client.get("/v1/models")[0] == 401
    client.send("GET /v1/models HTTP/1.1\r\nAuthorization: Bearer secret\r\n\r\n")
    assert client.answer()[0] == 200


def test_term_cuts_streams_at_once_by_default(machine):
    a = machine.serve("a", "--fake-token-ms", 50)
    client = Client(a.port)
    client.begin_post("/v1/completions", max_tokens=100000, stream=True)
    client.head()
    client.chunk()
    a.term()
    rest = client.rest()
    assert b'data: {"error"' in rest
    assert b"\r\n0\r\n" not in rest  # broken off, not ended
    assert a.wait() == 0


def test_term_with_a_shutdown_timeout_finishes_streams_and_refuses_new_requests(machine):
    a = machine.serve("a", "--shutdown-timeout", 30, "--fake-token-ms", 50)
    client, other = Client(a.port), Client(a.port)
    assert other.get("/health")[0] == 200
    client.begin_post("/v1/completions", max_tokens=60, stream=True)
    client.head()
    a.term()
    a.line("term")
    a.term()  # a second one changes nothing
    assert other.post("/v1/completions", max_tokens=1)[0] == 503
    body = b""
    while data := client.chunk():
        body += data
    assert len(events(body)) == 61
    assert a.wait() == 0


def test_a_drain_that_takes_too_long_is_cut(machine):
    a = machine.serve("a", "--shutdown-timeout", 1, "--fake-token-ms", 1000)
    client = Client(a.port)
    client.begin_post("/v1/completions", max_tokens=100000, stream=True)
    client.head()
    a.term()
    assert b'data: {"error"' in client.rest()
    assert a.wait() == 0


def test_a_stuck_engine_is_healthy_but_never_answers(machine):
    a = machine.serve("a", "--fake-stuck-engine")
    client = Client(a.port)
    client.begin_post("/v1/completions", max_tokens=1)
    for _ in range(3):
        assert Client(a.port).get("/health")[0] == 200
    client.socket.settimeout(0.2)
    with pytest.raises(socket.timeout):
        client.head()


def test_health_lies_from_the_bind_on(machine):
    port = free_port()
    a = machine.start("a", "--fake-health-lie", "--fake-hang", "load", "--port", port)
    a.line("hang")
    assert Client(port).get("/health")[0] == 200


def test_health_flaps(machine):
    a = machine.serve("a", "--fake-health-flap", 300)
    seen = set()
    until(lambda: seen.add(Client(a.port).get("/health")[0]) or seen == {200, 503}, "both answers")


def test_a_leak_grows_with_requests_and_ends_in_an_error(machine):
    machine.device("init", "--total", "20GiB")
    a = machine.serve("a", "--fake-leak", "3GiB", "--fake-weights", "5GiB", "--kv-cache-memory-bytes", "10G",
                      "--gpu-memory-utilization", ".1")
    client = Client(a.port)
    before = machine.show()["used"]
    assert client.post("/v1/completions", max_tokens=1)[0] == 200
    assert machine.show()["used"] == before + 3 * GIB
    status, _, body = client.post("/v1/completions", max_tokens=1)
    assert status == 500 and b"CUDA out of memory" in body


def test_sleep_gives_the_memory_back_and_wake_takes_it_again(machine):
    a = machine.serve("a", "--enable-sleep-mode", VLLM_SERVER_DEV_MODE="1")
    client = Client(a.port)
    before = machine.show()["records"][0]
    assert json.loads(client.get("/is_sleeping")[2]) == {"is_sleeping": False}
    assert client.post("/sleep?level=1")[0] == 200
    assert json.loads(client.get("/is_sleeping")[2]) == {"is_sleeping": True}
    assert machine.show()["records"][0]["torch"] == 0
    assert client.get("/health")[0] == 200
    assert client.post("/v1/completions", max_tokens=1)[0] == 500
    tenant = machine.start("tenant", "device", "hold", "95GiB", "--dir", str(machine.gpu), "--svc", "tenant")
    tenant.line("hold")
    assert client.post("/wake_up")[0] == 500
    tenant.term()
    tenant.wait()
    assert client.post("/wake_up")[0] == 200
    assert machine.show()["records"][0] == before
    assert client.post("/v1/completions", max_tokens=1)[0] == 200


def test_sleep_is_not_there_without_developer_mode(machine):
    client = Client(machine.serve("a", "--enable-sleep-mode").port)
    assert client.get("/is_sleeping")[0] == 404
    assert client.post("/sleep")[0] == 404


def test_a_unix_socket_serves_too(machine):
    path = machine.folder / "s.sock"
    machine.start("a", "--uds", path).line("serve")
    assert stat.S_ISSOCK(path.stat().st_mode)
    assert Client(path=path).get("/health")[0] == 200
