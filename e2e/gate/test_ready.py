"""How a wrapper learns that its server is up, each way once for real, and what systemd hears meanwhile."""

import os
import socket

import pytest

from lib import proc
from lib.ports import free_port
from lib.world import MS

LISTENER = """
import socket, sys, time
time.sleep(0.3)
server = socket.create_server(('127.0.0.1', int(sys.argv[1])))
print('listening', flush=True)
time.sleep(60)
"""

UNIX_LISTENER = """
import socket, sys, time
time.sleep(0.3)
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
time.sleep(60)
"""

NOTIFIER = """
import os, socket, time
time.sleep(0.3)
path = os.environ['NOTIFY_SOCKET']
client = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
client.connect('\\0' + path[1:] if path[0] == '@' else path)
client.send(b'STATUS=almost')
client.send(b'READY=1')
time.sleep(60)
"""


def ready_after(world, how: str, *command: str) -> dict:
    """Starts it; its settling line, which must not come before 0.3 s, when the command is up."""
    a = world.server("A", gate={"ready": how})
    world.start(a, list(command))
    world.until_ready([a])
    settling = world.log().first("A", "settling")
    assert "unproven" not in settling["reason"]
    assert settling["boottime_ns"] - world.log().first("A", "starting")["boottime_ns"] >= 290 * MS
    return settling


@pytest.fixture
def port(world):
    return free_port()


def test_tcp(world, port):
    ready_after(world, f"tcp:{port}", "/usr/bin/python3", "-c", LISTENER, str(port))


def test_unix_socket(world):
    path = world.dir / "s"
    ready_after(world, f"uds:{path}", "/usr/bin/python3", "-c", UNIX_LISTENER, str(path))


def test_log_line(world):
    ready_after(world, "log:^listen", "/bin/sh", "-c", "sleep 0.3; echo listening; exec sleep 60")


def test_log_line_on_stderr(world):
    ready_after(world, "log:listening", "/bin/sh", "-c", "sleep 0.3; echo now listening >&2; exec sleep 60")


def test_command(world):
    flag = world.dir / "flag"
    ready_after(world, f"cmd:test -e {flag}", "/bin/sh", "-c", f"sleep 0.3; touch {flag}; exec sleep 60")


def test_notify(world):
    ready_after(world, "notify", "/usr/bin/python3", "-c", NOTIFIER)


def test_none(world):
    a = world.server("A", gate={"ready": "none"})
    world.start(a, ["/bin/sleep", "60"])
    world.until_ready([a])


def test_output_goes_on_after_the_line_was_found(world):
    """The wrapper that listened for a line must not become a pipe that fills up."""
    done = world.dir / "done"
    a = world.server("A", gate={"ready": "log:up"})
    script = f"echo up; i=0; while [ $i -lt 3000 ]; do echo {'Q' * 100}; i=$((i+1)); done; touch {done}; exec sleep 60"
    world.start(a, ["/bin/sh", "-c", script])
    proc.until(done.exists, 10, world.report)
    proc.until(lambda: world.stderr(a).count("Q") == 300_000, 5, "all lines arrive")


@pytest.mark.parametrize("engine", ["sglang", "llama", "tei", "trtllm", "lmdeploy", "infinity"])
def test_engines_are_recognised_by_their_command(world, engine):
    """Name, port and health path come from the command line alone."""
    names = {"sglang": "sglang", "llama": "llama-server", "tei": "text-embeddings-router", "trtllm": "trtllm-serve",
             "lmdeploy": "lmdeploy", "infinity": "infinity_emb"}
    program = world.dir / names[engine]
    program.symlink_to(proc.program("fakevllm"))
    a = world.server("A", fake={"load-ms": 200})
    words = {"sglang": ["serve", "--model-path", "m", "--port"], "llama": ["-m", "m.gguf", "--port"],
             "tei": ["--model-id", "m", "--port"], "trtllm": ["serve", "m", "--port"],
             "lmdeploy": ["serve", "api_server", "m", "--server-port"], "infinity": ["v2", "--model-id", "m", "--port"]}
    knobs = world.engine_argv(a)
    command = [str(program), *words[engine], str(a.port), *knobs[knobs.index("--fake-gpu-dir"):]]
    a.gate["on-short"] = "start"
    world.start(a, command)
    world.until_ready([a])
    settling = world.log().first("A", "settling")
    assert "own socket" in settling["reason"], settling
    served = next(line for line in world.journal() if line["phase"] == "serve")
    assert settling["boottime_ns"] >= served["boot_ns"] - 5 * MS


def test_ollama_is_ready_once_the_model_is_loaded(world):
    program = world.dir / "ollama"
    program.symlink_to(proc.program("fakevllm"))
    a = world.server("A", priority=1, fake={"load-ms": 300}, gate={"preload": "llama3"})
    knobs = world.engine_argv(a)
    a.env["OLLAMA_HOST"] = f"127.0.0.1:{a.port}"
    world.start(a, [str(program), "serve", *knobs[knobs.index("--fake-gpu-dir"):]])
    b = world.server("B")
    world.start(b)
    world.until_ready()
    loaded = next(line for line in world.journal() if line["phase"] == "loaded_model")
    assert world.log().first("A", "settling")["boottime_ns"] >= loaded["boot_ns"]
    begun = next(line for line in world.journal() if line["svc"] == "B" and line["phase"] == "init_device")
    assert begun["mono_ns"] > loaded["mono_ns"], "B was started while Ollama loaded its model"


class Systemd:
    """The receiving end of NOTIFY_SOCKET."""

    def __init__(self, path):
        self.path = str(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.path)
        self._socket.settimeout(0.01)
        self.heard: list[str] = []

    def listen(self) -> list[str]:
        try:
            while True:
                self.heard += self._socket.recv(4096).decode().splitlines()
        except (TimeoutError, BlockingIOError):
            return self.heard

    def until(self, text: str, timeout: float = 10) -> None:
        proc.until(lambda: any(text in line for line in self.listen()), timeout, lambda: f"{text!r} in {self.heard}")

    def close(self) -> None:
        self._socket.close()
        os.unlink(self.path)


def test_systemd_hears_status_extensions_ready_and_stopping(world):
    systemd = Systemd(world.dir / "notify")
    try:
        a, b = world.server("A", priority=1, fake={"load-ms": 1500}), world.server("B")
        b.env["NOTIFY_SOCKET"] = systemd.path
        world.start(a)
        world.until_state(a, "starting")
        world.start(b)
        systemd.until("EXTEND_TIMEOUT_USEC=")
        systemd.until("STATUS=queued")
        assert "READY=1" not in systemd.heard
        systemd.until("READY=1")
        assert world.log().first("B", "ready")
        proc.kill(b.process.pid, 15)
        systemd.until("STOPPING=1")
        proc.wait(b.process, 5)
    finally:
        systemd.close()


def test_the_servers_output_is_its_own(world):
    """Nothing of the wrapper's on standard output: others parse that."""
    a = world.server("A", gate={"settle": "0s"})
    out = world.dir / "stdout"
    with out.open("wb") as stdout:
        a.process = proc.start(world.argv(a, ["/bin/sh", "-c", "echo answer; sleep 0.2; exit 3"]), stdout=stdout, stderr=-3,
                               env={"PATH": "/usr/bin:/bin"})
        assert proc.wait(a.process, 5) == 3
    assert out.read_text() == "answer\n"
