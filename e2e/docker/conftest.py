"""The engine, its images, and machines whose servers are containers."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

import dockerd
import rootfs
from lib import proc
from lib.journal import GateLog, attempts, read_lines
from lib.mounts import mount, set_up_gate, unmount
from lib.ports import free_port
from lib.world import uuid


@pytest.fixture(scope="module")
def engine():
    reason = dockerd.why_not()
    if reason:
        pytest.skip(reason)
    made = dockerd.Engine()
    try:
        made.start()
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def folder():
    path = pathlib.Path(tempfile.mkdtemp(prefix="af-images-", dir="/tmp"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def image(engine, folder):
    """Name of an image: made and imported when it is first asked for."""
    there: dict[str, str] = {}  # why it cannot be made, "" when it was

    def get(kind: str) -> str:
        if kind not in there:
            there[kind] = ""
            try:
                engine.import_image(kind, getattr(rootfs, kind)(folder))
            except rootfs.Unavailable as why:
                there[kind] = str(why)
        if there[kind]:
            pytest.skip(there[kind])
        return kind
    return get


class Site:
    """A host that was set up: its gate on a tmpfs of its own, a simulated device, and containers that share both."""

    def __init__(self, engine: dockerd.Engine, **device: str):
        self.engine = engine
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="af-site-", dir="/tmp"))
        self.dir.chmod(0o755)
        self.gate_dir = self.dir / "gate"
        self.gate_dir.mkdir()
        self.state_dir = self.dir / "state"
        self._set_up()
        self.gpu_dir = self.dir / "gpu"
        self.gpu_dir.mkdir()
        self.gpu_dir.chmod(0o777)
        words = [word for key, value in device.items() for word in (f"--{key.replace('_', '-')}", value)]
        subprocess.run([proc.program("fakevllm"), "device", "init", "--dir", str(self.gpu_dir), "--uuid", uuid(0), *words],
                       check=True, timeout=10)
        self.watch = proc.start([proc.program("fakevllm"), "device", "watch", "--dir", str(self.gpu_dir), "--every", "10"])
        self.names: list[str] = []
        self.ports: dict[str, int] = {}
        self.priorities: dict[str, int] = {}

    def _set_up(self) -> None:
        """As the host's own command does it, where that is built; else what it would leave."""
        cli = proc.BIN / "antifreeze"
        argv = [str(cli), "gate", "setup", "--gate-dir", str(self.gate_dir), "--state-dir", str(self.state_dir)]
        if cli.is_file() and subprocess.run(argv, capture_output=True, timeout=20, check=False).returncode == 0:
            self.how = "antifreeze gate setup"
            return
        self.how = "by hand"
        mount("tmpfs", self.gate_dir, "tmpfs", "size=4m,nr_inodes=4096,mode=1777")
        set_up_gate(self.gate_dir)

    def env(self, **more) -> dict:
        """Two settings come with the mounts, as the wrappers for containers will set them; the rest is the test's speed."""
        return {"ANTIFREEZE_SHARED": "1", "ANTIFREEZE_MEMINFO": "/gpu/meminfo", "ANTIFREEZE_GATHER": "1s",
                "ANTIFREEZE_SETTLE": "200ms", "ANTIFREEZE_RECLAIM_FLOOR": "300ms", "ANTIFREEZE_BACKOFF": "50ms",
                "ANTIFREEZE_START_TIMEOUT": "30s", **more}

    def binds(self) -> list[str]:
        return [f"{self.gate_dir}:/run/antifreeze/gate", f"{self.gpu_dir}:/gpu"]

    def server(self, name: str, image: str, gated: bool = True, priority: int = 0, util: float = 0.15, policy: str = "always",
               fake: dict | None = None, env: dict | None = None, mutant: str = "", **host) -> str:
        """A container with one simulated server in it."""
        self.names.append(name)
        self.ports[name] = free_port()
        self.priorities[name] = priority
        knobs = {"import-ms": "5", "load-ms": "150", "load-steps": "6", "profile-ms": "60", "graph-ms": "10", "weights": "2GiB",
                 "peak": "1GiB", "tick-ms": "50", "child-grace-ms": "300", "keep-environ": True, **(fake or {})}
        command = ["/fakevllm", "serve", name, "--gpu-memory-utilization", str(util), "--host", "127.0.0.1", "--port",
                   str(self.ports[name]), "--max-model-len", "1024", "--fake-gpu-dir", "/gpu", "--fake-svc", name]
        for key, value in knobs.items():
            command += [f"--fake-{key}"] + ([] if value is True else [str(value)])
        environment = dict(env or {})
        if gated:
            wrapper = "/antifreeze-run-mutants" if mutant else "/antifreeze-run"
            command = [wrapper, "--name", name, "--priority", str(priority), "--", *command]
            environment = self.env(**environment)
            if mutant:
                environment["ANTIFREEZE_MUTANT"] = mutant
        self.engine.create(name, image, command, environment, Binds=self.binds(), RestartPolicy={"Name": policy}, **host)
        return name

    def log(self, since_ns: int = 0) -> GateLog:
        log = GateLog(self.gate_dir)
        log.lines = [line for line in log.lines if line["boottime_ns"] >= since_ns]
        return log

    def journal(self) -> list[dict]:
        return read_lines(self.gpu_dir / "journal.jsonl")

    def attempts(self, since_ns: int = 0):
        """Engines whose first touch lies after `since_ns` (CLOCK_MONOTONIC)."""
        return [attempt for attempt in attempts(self.journal()) if attempt.touch >= since_ns]

    def report(self) -> str:
        logs = "".join(f"\n--- {name}:\n{self._logs(name)[-2000:]}" for name in self.names)
        gate = [f"{line['boottime_ns']} {line['service']} {line['state']} {line['reason']}" for line in self.log().lines[-40:]]
        return logs + "\n--- gate:\n" + "\n".join(gate)

    def _logs(self, name: str) -> str:
        try:
            return self.engine.logs(name)
        except (OSError, AssertionError) as error:
            return str(error)

    def until_ready(self, names: list[str], since_ns: int = 0, timeout: float = 40) -> None:
        def look():
            log = self.log(since_ns)
            return all(log.first(name, "ready") for name in names)
        proc.until(look, timeout, lambda: f"ready: {names}; {self.report()}", every=0.02)

    def close(self) -> None:
        try:
            self.engine.remove_all()
        except (OSError, AssertionError):
            pass  # the engine itself is being torn down
        proc.kill(self.watch.pid)
        self.watch.wait(5)
        unmount(self.gate_dir)
        shutil.rmtree(self.dir, ignore_errors=True)


@pytest.fixture
def site(engine):
    made: list[Site] = []

    def make(**device) -> Site:
        made.append(Site(engine, **device))
        return made[-1]
    yield make
    for one in made:
        one.close()
    assert not [line for line in pathlib.Path("/proc/self/mounts").read_text().splitlines() if "/af-site-" in line]


@pytest.fixture
def run_container(engine, image, tmp_path):
    """One command behind the gate in a container. Returns its name."""
    count = 0

    def run(kind: str, *command: str, env: dict | None = None, gate: pathlib.Path | None = None, **host) -> str:
        nonlocal count
        count += 1
        name = f"c{os.getpid()}-{count}"
        gate = gate or tmp_path / "gate"
        gate.mkdir(exist_ok=True)
        gate.chmod(0o1777)
        environment = {"ANTIFREEZE_GATE_DIR": "/gate", "ANTIFREEZE_GATHER": "0s", "ANTIFREEZE_SETTLE": "0s", **(env or {})}
        user = host.pop("user", "")
        engine.create(name, image(kind), ["/antifreeze-run", "--name", name, "--", *command], environment, user,
                      Binds=[f"{gate}:/gate"], **host)
        engine.start_container(name)
        return name
    yield run
    engine.remove_all()
