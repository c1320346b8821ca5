"""A fake machine per test: its own ledger, journal and processes, ended with it."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import time


GIB = 1 << 30
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("AF_BIN", REPOSITORY / "build" / "bin")) / "fakevllm"
PATIENCE_S = 15  # only for what should happen at once: a test that waits this long has failed


def until(condition, what):
    """Asks `condition` until it says something true; returns that."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.003)
    raise AssertionError(f"waited {PATIENCE_S} s in vain for {what}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One fakevllm process, with what it printed."""

    def __init__(self, machine, name, argv, environment):
        self.machine, self.name = machine, name
        self.out = machine.folder / f"{name}.out"
        with open(self.out, "ab") as out:
            self.process = subprocess.Popen(argv, stdout=out, stderr=out, env=environment, stdin=subprocess.DEVNULL)
        self.pid = self.process.pid

    def text(self):
        return self.out.read_text()

    def wait(self):
        return self.process.wait(timeout=PATIENCE_S)

    def term(self):
        self.process.send_signal(signal.SIGTERM)

    def line(self, phase, count=1, **more):
        """The journal line of that phase of this service."""
        return self.machine.line(count, svc=self.name, phase=phase, **more)


class Machine:
    def __init__(self, folder):
        self.folder = folder
        self.gpu = folder / "gpu"
        self.servers = []
        self.environment = {**os.environ, "FAKE_GPU_DIR": str(self.gpu), "FAKE_SPEED": "10", "FAKE_TICK_MS": "10"}
        for name in [name for name in self.environment if name.startswith(("VLLM_", "CUDA_", "OLLAMA_"))]:
            del self.environment[name]

    def device(self, *words):
        done = subprocess.run([BINARY, "device", *words, "--dir", self.gpu], capture_output=True, text=True, check=True)
        return done.stdout

    def show(self):
        return json.loads(self.device("show", "--json"))

    def meminfo(self):
        lines = (self.gpu / "meminfo").read_text().splitlines()
        return {line.split(":")[0]: int(line.split()[1]) for line in lines}

    def start(self, name, *words, program=BINARY, **environment):
        """`program serve name words…`, or exactly words where they start with a verb."""
        argv = [str(program), *[str(word) for word in words]]
        if words[:1] not in (("device",), ("child",), ("--as",), ("plain",)):
            argv = [str(program), "serve", name, *[str(word) for word in words]]
        if words[:1] == ("plain",):
            argv.remove("plain")
        server = Server(self, name, argv, {**self.environment, "FAKE_SVC": name, **environment})
        self.servers.append(server)
        return server

    def serve(self, name, *words, **more):
        """Starts a server and waits until it serves; its port is .port."""
        port = free_port()
        server = self.start(name, *words, "--port", port, "--host", "127.0.0.1", **more)
        server.line("serve")
        server.port = port
        return server

    def journal(self):
        path = self.gpu / "journal.jsonl"
        if not path.exists():
            return []
        # A line that is being written has no end yet.
        return [json.loads(line) for line in path.read_text().split("\n")[:-1]]

    def lines(self, **wanted):
        return [line for line in self.journal() if all(line.get(key) == value for key, value in wanted.items())]

    def line(self, count=1, **wanted):
        """Waits for the count-th line like that."""
        return until(lambda: (self.lines(**wanted)[count - 1:] or [None])[0], f"journal line {wanted}")

    def touch(self, name):
        (self.folder / name).touch()

    def close(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.process.kill()
            server.process.wait()
        # Engines outlive a killed parent; the ledger knows them, and only they hold records here.
        for record in self.show()["records"] if self.gpu.exists() else []:
            try:
                os.kill(record["pid"], signal.SIGKILL)
            except ProcessLookupError:
                pass


