"""The other engines: names, ports, what /health says before, while and after loading."""

import json
import os
import pathlib

import pytest

from fake_http import Client
from fake_machine import BINARY, GIB, free_port, until

NAMES = {"vllm": ("serve m", "vllm"), "fakevllm": ("serve m", "vllm"), "sglang": ("serve --model-path m", "sglang"),
         "fakesglang": ("--model-path m", "sglang"), "llama-server": ("-m m.gguf -ngl 99", "llama-server"),
         "fakellama": ("--model m.gguf", "llama-server"), "text-embeddings-router": ("--model-id m", "text-embeddings"),
         "faketei": ("--model-id m", "text-embeddings"), "trtllm-serve": ("serve m", "trtllm-serve"),
         "lmdeploy": ("serve api_server m", "lmdeploy"), "infinity_emb": ("v2 --model-id m", "infinity_emb"),
         "python3": ("-m sglang.launch_server --model-path m", "sglang"),
         "python": ("-m vllm.entrypoints.openai.api_server --model m", "vllm")}


def link(machine, name):
    path = machine.folder / name
    path.symlink_to(BINARY)
    return path


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_the_program_decides_the_engine(machine, name):
    words, comm = NAMES[name]
    port_flag = "--server-port" if name == "lmdeploy" else "--port"
    port = free_port()
    s = machine.start("s", "plain", *words.split(), port_flag, port, program=link(machine, name))
    s.line("serve")
    assert pathlib.Path(f"/proc/{s.pid}/comm").read_text().strip() == comm
    assert Client(port).get("/health")[0] == 200
    s.term()
    assert s.wait() == 0


def test_llama_answers_503_while_it_loads(machine):
    port = free_port()
    s = machine.start("s", "--as", "llama", "-m", "m.gguf", "--port", port, "--fake-wait", f"kv:{machine.folder}/go")
    s.line("profile")
    status, _, body = Client(port).get("/health")
    assert (status, json.loads(body)["error"]["message"]) == (503, "Loading model")
    assert Client(port).post("/v1/completions", max_tokens=1)[0] == 503
    machine.touch("go")
    s.line("serve")
    assert json.loads(Client(port).get("/v1/health")[2]) == {"status": "ok"}
    assert Client(port).post("/completion", n_predict=2)[0] == 200


def test_sglang_answers_503_while_it_warms_up_and_generates_for_its_health(machine):
    port = free_port()
    s = machine.start("s", "--as", "sglang", "--model-path", "m", "--port", port, "--fake-graph-ms", 10000,
                      "--fake-wait", f"serve:{machine.folder}/go", "--fake-speed", 100)
    s.line("capture")
    assert until(lambda: _status(port, "/health"), "the port") == 503
    assert Client(port).get("/ping")[0] == 200
    machine.touch("go")
    s.line("serve")
    assert Client(port).get("/health")[0] == 200
    engine = s.line("settled")["pid"]
    os.kill(engine, 19)  # a stopped scheduler generates nothing, and /health notices within 20 (here 0.2) seconds
    assert Client(port).get("/health_generate")[0] == 503


def _status(port, path):
    try:
        return Client(port).get(path)[0]
    except ConnectionRefusedError:
        return None


def test_llama_and_tei_end_with_the_signal_of_their_only_process(machine):
    for dialect, flag in (("llama", "-m"), ("tei", "--model-id")):
        s = machine.start(dialect, "--as", dialect, flag, "m", "--port", free_port(), "--fake-crash", "7:signal=SEGV")
        assert s.wait() == -11


def test_sglang_dies_whole_when_its_scheduler_dies(machine):
    s = machine.start("s", "--as", "sglang", "--model-path", "m", "--port", free_port(), "--fake-crash", "7:exit")
    assert s.wait() == -9


def ollama(machine, *words, **environment):
    port = free_port()
    s = machine.start("o", "plain", "serve", *words, program=link(machine, "ollama"),
                      OLLAMA_HOST=f"http://127.0.0.1:{port}", **environment)
    s.line("serve")
    s.port = port
    return s


def loaded(o):
    return [model["name"] for model in json.loads(Client(o.port).get("/api/ps")[2])["models"]]


def test_ollama_is_ready_at_once_and_loads_with_the_first_request(machine):
    o = ollama(machine)
    assert Client(o.port).get("/")[2] == b"Ollama is running"
    assert Client(o.port).get("/api/version")[0] == 200
    assert machine.show()["used"] == 0 and loaded(o) == []
    status, headers, body = Client(o.port).post("/api/generate", model="m", prompt="hi", options={"num_predict": 3})
    assert (status, headers["content-type"]) == (200, "application/x-ndjson")
    lines = [json.loads(line) for line in body.decode().splitlines()]
    assert [line["done"] for line in lines] == [False, False, False, True]
    assert loaded(o) == ["m"]
    assert machine.show()["used"] > 10 * GIB
    assert Client(o.port).post("/v1/chat/completions", model="m", max_tokens=2)[0] == 200
    assert len(machine.lines(phase="init_device")) == 1


def test_ollama_preloads_for_ever_and_unloads_when_told(machine):
    o = ollama(machine)
    answer = json.loads(Client(o.port).post("/api/generate", model="m", keep_alive=-1, stream=False)[2])
    assert (answer["done"], answer["done_reason"]) == (True, "load")
    assert json.loads(Client(o.port).get("/api/ps")[2])["models"][0]["expires_at"].startswith("23")
    answer = json.loads(Client(o.port).post("/api/generate", model="m", keep_alive=0)[2])
    assert answer["done_reason"] == "unload"
    until(lambda: loaded(o) == [] and machine.show()["used"] == 0, "the unload")


def test_ollama_unloads_after_keep_alive(machine):
    o = ollama(machine, OLLAMA_KEEP_ALIVE="1s")  # 0.1 s at speed 10
    Client(o.port).post("/api/generate", model="m", stream=False)
    machine.line(phase="engine_exit", svc="o")
    assert machine.show()["used"] == 0


def test_ollama_makes_room_for_another_model(machine):
    o = ollama(machine, OLLAMA_MAX_LOADED_MODELS="1")
    Client(o.port).post("/api/generate", model="m", stream=False)
    Client(o.port).post("/api/generate", model="n", stream=False)
    assert loaded(o) == ["n"]


def test_ollama_that_cannot_load_says_why_and_goes_on(machine):
    machine.device("init", "--total", "5GiB")
    o = ollama(machine)
    status, _, body = Client(o.port).post("/api/generate", model="m", stream=False)
    assert status == 500 and "out of memory" in json.loads(body)["error"]
    assert Client(o.port).get("/")[0] == 200
    o.term()
    assert o.wait() == 0


def test_help_names_every_knob(machine):
    import subprocess
    text = subprocess.run([BINARY, "--help"], capture_output=True, text=True, check=True).stdout
    for knob in ("--fake-crash", "--fake-settle", "--fake-release-lag", "--fake-clock", "--fake-zombies"):
        assert knob in text
