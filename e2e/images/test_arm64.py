"""The arm64 programs under qemu-user: PID 1 of a namespace in an empty root, exit codes, signals, orphans, and the same gate.

Where no binfmt handler is registered an arm64 program cannot be executed by itself, so qemu is named in front of each
command, as it would be of the wrapper.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

from lib import oracle, proc
from lib.ports import free_port
from lib.world import GATE, MS, SETTLE_MS, World

ARM64 = pathlib.Path(os.environ.get("AF_BIN_ARM64", proc.ROOT / "build" / "arm64" / "bin"))
QEMU = shutil.which("qemu-aarch64-static")
CC = shutil.which("aarch64-linux-gnu-gcc") or shutil.which("aarch64-linux-gnu-g++")


def why_not() -> str | None:
    if os.geteuid() != 0:
        return "a root file system of its own takes root"
    if not (ARM64 / "antifreeze-run").is_file():
        return f"no arm64 build in {ARM64} (./dev build --arch arm64)"
    if not QEMU:
        return "qemu-aarch64-static is not installed (qemu-user-static)"
    return None


pytestmark = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> pathlib.Path:
    """An empty root: programs, qemu and /proc."""
    path = tmp_path_factory.mktemp("arm64")
    for name in ("proc", "gate", "gpu", "tmp"):
        (path / name).mkdir()
    for name in ("antifreeze-run", "fakevllm"):
        shutil.copy2(ARM64 / name, path / name)
    shutil.copy2(QEMU, path / "qemu")
    if CC:
        source = pathlib.Path(__file__).with_name("probe.c")
        subprocess.run([CC, "-x", "c", "-O1", "-static", "-o", str(path / "probe"), str(source)], check=True, timeout=60)
    return path


@pytest.fixture
def first(root):
    """Starts a command behind the arm64 wrapper as PID 1. Returns (process of unshare, host pid of PID 1, its log)."""
    def start(*command: str, options: tuple = ()):
        log = root / "out"
        argv = ["unshare", "-pf", f"--mount-proc={root}/proc", "--kill-child", "chroot", str(root), "/qemu", "/antifreeze-run",
                "--gate-dir", "/gate", "--name", "S", "--gather", "0s", "--settle", "0s", "--backoff", "0s", "--max-failures",
                "0", *options, "--", *command]
        with log.open("wb") as out:
            process = proc.start(argv, stdout=out, stderr=out, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        children = proc.until(lambda: proc.children_map().get(process.pid), 5, "PID 1 appears")
        return process, children[0], log
    yield start
    proc.sweep()
    for left in (root / "gate").iterdir():
        left.unlink()


@pytest.fixture
def probe(first):
    if not CC:
        pytest.skip("no compiler for arm64 (g++-aarch64-linux-gnu)")

    def start(*words: str, **options):
        return first("/qemu", "/probe", *words, **options)
    return start


def said(log: pathlib.Path, text: str) -> None:
    proc.until(lambda: text in log.read_text(errors="replace"), 15, lambda: log.read_text(errors="replace"))


@pytest.mark.parametrize("code", [0, 3, 125, 255])
def test_exit_codes(probe, code):
    assert proc.wait(probe("exit", str(code))[0], 15) == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_signal_deaths(probe, number):
    assert proc.wait(probe("die", str(int(number)))[0], 15) == 128 + number


def test_not_found_and_not_executable(first):
    assert proc.wait(first("/no/such/program")[0], 15) == 127
    assert proc.wait(first("/proc/version")[0], 15) == 126


def test_usage_error_and_own_failure(root):
    def run(*words):
        argv = ["chroot", str(root), "/qemu", "/antifreeze-run", *words]
        return subprocess.run(argv, capture_output=True, text=True, timeout=15, check=False)
    assert run("--no-such-option", "--", "x").returncode == 2
    assert run("--gate-dir", "/qemu", "--", "/probe").returncode == 125
    assert run("--version").stdout.startswith("antifreeze ")


def test_term_is_forwarded_and_the_commands_code_comes_back(probe):
    process, init, log = probe("term", "7")
    said(log, "up\n")
    proc.kill(init, signal.SIGTERM)
    assert proc.wait(process, 10) == 7


def test_term_while_queued_is_143(first, root):
    process, init, log = first("/qemu", "/probe", "term", "7", options=("--gather", "60s"))
    said(log, "queued")
    begin = time.monotonic()
    proc.kill(init, signal.SIGTERM)
    assert proc.wait(process, 10) == 143
    assert time.monotonic() - begin < 1.5
    assert not list((root / "gate").glob("t-*"))


def test_orphans_are_reaped(probe):
    process, init, log = probe("orphans", "20")
    said(log, "made")

    def zombies():
        return [pid for pid in proc.descendants(init) if (proc.stat_fields(pid) or ["?"])[0] == "Z"]
    proc.until(lambda: not zombies(), 5, lambda: f"zombies stay: {zombies()}")
    proc.kill(init, signal.SIGTERM)
    assert proc.wait(process, 10) == 0


def test_a_child_in_its_own_session_is_ended(probe):
    """qemu-user 7.2 refuses PR_SET_CHILD_SUBREAPER, so the orphan goes to PID 1 without the grace that it has on a real
    arm64 kernel: only that it ends, and the code, can be seen here. The grace is tested natively (test_docker_pid1)."""
    process, init, _ = probe("deaf")
    tree = proc.until(lambda: proc.descendants(init), 5, "the command runs")
    assert proc.wait(process, 20) == 4
    assert not [pid for pid in tree if proc.is_running(pid)]


def test_amd64_and_arm64_wrappers_share_one_gate(root):
    world = World()
    mounts = []
    try:
        for name, source in (("gate", world.gate_dir), ("gpu", world.gpu_dir)):
            source.mkdir(exist_ok=True)
            subprocess.run(["mount", "--bind", str(source), str(root / name)], check=True, timeout=10)
            mounts.append(root / name)
        a, c = world.server("A", priority=2), world.server("C", priority=0)
        port = free_port()
        native = world.engine_argv(world.server("B", port=port))
        command = ["/qemu", "/fakevllm", *[word.replace(str(world.gpu_dir), "/gpu") for word in native[1:]]]
        options = {**GATE, "name": "B", "priority": 1, "gate-dir": "/gate", "meminfo": "/gpu/meminfo",
                   "ready": f"http:http://127.0.0.1:{port}/health"}
        words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
        world.servers = [a, c]
        for server in (a, c):
            world.start(server)
        log = (world.dir / "B.err").open("wb")
        proc.start(["unshare", "-pf", f"--mount-proc={root}/proc", "--kill-child", "chroot", str(root), "/qemu",
                    "/antifreeze-run", *words, "--", *command], stdout=log, stderr=log)
        proc.until(lambda: all(world.log().first(name, "ready") for name in "ABC"), 30,
                   lambda: world.report() + (world.dir / "B.err").read_text())
        oracle.check_windows(world.attempts(), SETTLE_MS * MS)
        oracle.check_kv(world.attempts(), {"A": a.kv_alone(), "C": c.kv_alone(), "B": a.kv_alone()})
    finally:
        proc.sweep()
        for path in mounts:
            subprocess.run(["umount", "-l", str(path)], check=False, timeout=10)
        world.close()
