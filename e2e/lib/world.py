"""A machine in a folder: a simulated device, a gate directory, and the servers on it."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field

from lib import proc
from lib.journal import Attempt, GateLog, attempts, read_lines
from lib.ports import free_port

MS = 1_000_000

# Short, so that eight starts fit into a second and a half, yet each longer than what a start-up of two may overlap by.
FAST = {"import-ms": 5, "load-ms": 20, "load-steps": 3, "profile-ms": 10, "graph-ms": 5, "weights": "2GiB", "peak": "1GiB",
        "child-grace-ms": 300, "tick-ms": 20, "watchdog-ms": 20}
SETTLE_MS = 45
GATHER_MS = 50
# What a wrapper is told unless a test says otherwise.
GATE = {"gather": f"{GATHER_MS}ms", "settle": f"{SETTLE_MS}ms", "reclaim-floor": "90ms", "reclaim-cap": "2s",
        "backoff": "20ms", "grace": "500ms", "start-timeout": "20s"}


class ServerEnded(AssertionError):
    """A server that was to become ready has exited."""


@dataclass
class Server:
    """One server: what it is started with, and its wrapper's process once it runs."""

    name: str
    port: int = 0
    util: float = 0.1
    priority: int = 0
    fake: dict = field(default_factory=dict)   # --fake-NAME VALUE, over FAST
    gate: dict = field(default_factory=dict)   # wrapper options, over GATE; None leaves one out, True is a bare flag
    env: dict = field(default_factory=dict)
    engine_args: list = field(default_factory=list)
    gated: bool = True
    wrapper: str = "antifreeze-run"
    prefix: list = field(default_factory=list)  # e.g. unshare …, in front of the wrapper
    process: subprocess.Popen | None = None

    def kv_alone(self, total_gib: int = 100) -> int:
        """Bytes of KV cache when nobody disturbs the start (engines.md 7.5): share − weights − peak − non-torch."""
        gib = 1 << 30

        def size(knob: str, default: str) -> float:
            text = str(({**FAST, **self.fake}).get(knob, default)).removesuffix("GiB")
            return float(text) * gib
        return round(total_gib * gib * self.util - size("weights", "10") - size("peak", "1") - size("nt", "0.3")
                     - size("graph", "0"))


class World:
    """Temporary: everything in it ends with close(). Keywords are options of `fakevllm device init`."""

    def __init__(self, gpus: int = 1, **device: str):
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="af-e2e-", dir=base))
        self.dir.chmod(0o755)
        self.gate_dir = self.dir / "gate"
        self.gpu_dir = self.dir / "gpu"
        self.gpu_dir.mkdir()
        self.servers: list[Server] = []
        # Ledger and meminfo exist before anybody starts, so that the first wrapper reads a memory already.
        for gpu in range(gpus):
            options = {"gpu": gpu, "discrete": gpu > 0, "uuid": uuid(gpu), **{k.replace("_", "-"): v for k, v in device.items()}}
            self.device("init", *_flags(options))
        # What a driver does by itself: notices the dead.
        proc.start([proc.program("fakevllm"), "device", "watch", "--dir", str(self.gpu_dir), "--every", "10"])

    def device(self, verb: str, *words: str) -> str:
        argv = [proc.program("fakevllm"), "device", verb, *words, "--dir", str(self.gpu_dir)]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=10, check=False)
        assert done.returncode == 0, f"{argv}: {done.stderr}"
        return done.stdout

    def server(self, name: str, **options) -> Server:
        server = Server(name, **options)
        server.port = server.port or free_port()
        self.servers.append(server)
        return server

    def engine_argv(self, server: Server) -> list[str]:
        knobs = {**FAST, **server.fake}
        return [proc.program("fakevllm"), "serve", server.name, "--gpu-memory-utilization", f"{server.util}", "--host",
                "127.0.0.1", "--port", str(server.port), "--max-model-len", "1024", *server.engine_args,
                "--fake-gpu-dir", str(self.gpu_dir), "--fake-svc", server.name, *_flags(knobs, "fake-")]

    def argv(self, server: Server, command: list[str] | None = None) -> list[str]:
        command = command or self.engine_argv(server)
        if not server.gated:
            return [*server.prefix, *command]
        options = {"name": server.name, "priority": server.priority, "gate-dir": str(self.gate_dir),
                   "meminfo": str(self.gpu_dir / "meminfo"), **GATE, **server.gate}
        return [*server.prefix, proc.program(server.wrapper), *_flags(options), "--", *command]

    def start(self, server: Server, command: list[str] | None = None) -> subprocess.Popen:
        log = (self.dir / f"{server.name}.err").open("ab")
        env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), **server.env}
        with log:
            server.process = proc.start(self.argv(server, command), stdout=log, stderr=log, env=env)
        return server.process

    # What there is to see.
    def log(self) -> GateLog:
        return GateLog(self.gate_dir)

    def journal(self) -> list[dict]:
        return read_lines(self.gpu_dir / "journal.jsonl")

    def attempts(self) -> list[Attempt]:
        return attempts(self.journal())

    def stderr(self, server: Server) -> str:
        try:
            return (self.dir / f"{server.name}.err").read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def state(self, server: Server) -> str:
        lines = self.log().of(server.name)
        return lines[-1]["state"] if lines else ""

    def until_state(self, server: Server, state: str, timeout: float = 10) -> dict:
        """The first transition of the server to `state`."""
        def look():
            return self.log().first(server.name, state)
        return proc.until(look, timeout, lambda: f"{server.name} {state}; {self.report()}")

    def until_phase(self, server: Server, phase: str, timeout: float = 10) -> dict:
        """The first journal line of the server with that phase."""
        def look():
            return next((line for line in self.journal() if line["svc"] == server.name and line["phase"] == phase), None)
        return proc.until(look, timeout, lambda: f"{server.name} in phase {phase}; {self.report()}")

    def until_ready(self, servers: list[Server] | None = None, timeout: float = 15) -> None:
        """Until the gate called all of them ready. One that exits instead fails at once."""
        wanted = servers or self.servers

        def look():
            log = self.log()
            missing = [server for server in wanted if not log.first(server.name, "ready")]
            for server in missing:
                code = server.process.poll()
                if code is not None:
                    raise ServerEnded(f"{server.name} exited with {code} before it was ready: {self.report()}")
            return not missing
        proc.until(look, timeout, lambda: f"all ready; {self.report()}", every=0.01)

    def report(self) -> str:
        """What a person needs to see when a test fails."""
        parts = [f"\n--- {server.name}:\n{self.stderr(server)[-2500:]}" for server in self.servers]
        tail = "\n".join(str(line) for line in self.journal()[-40:])
        return "".join(parts) + f"\n--- journal:\n{tail}\n"

    def term_all(self) -> None:
        for server in self.servers:
            if server.process and server.process.poll() is None:
                proc.kill(server.process.pid, signal.SIGTERM)

    def close(self) -> None:
        proc.sweep()
        shutil.rmtree(self.dir, ignore_errors=True)


def uuid(gpu: int) -> str:
    return f"GPU-0000000{gpu}-0000-4000-8000-00000000000{gpu}"


def _flags(options: dict, prefix: str = "") -> list[str]:
    words: list[str] = []
    for key, value in options.items():
        if value is None or value is False:
            continue
        words.append(f"--{prefix}{key}")
        if value is not True:
            words.append(str(value))
    return words
