"""The programs that are measured against each other, and the servers behind them."""

import os
import pathlib
import shutil
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "e2e"))

from figures import CannotMeasure  # noqa: E402
from lib import proc  # noqa: E402
from lib.journal import read_lines  # noqa: E402
from lib.world import Server, World  # noqa: E402

SHELL_GATE = str(pathlib.Path(__file__).with_name("shell_gate.sh"))
TOOLS = {"tini": "tini", "dumb-init": "dumb-init", "curl": "curl", "flock": "util-linux"}


def find(name: str) -> str:
    path = shutil.which(name)
    if not path:
        raise CannotMeasure(f"{name} is missing: apt-get install {TOOLS.get(name, name)}")
    return path


def check_tools() -> None:
    for name in TOOLS:
        find(name)
    for name in ("antifreeze-run", "fakevllm"):
        try:
            proc.program(name)
        except AssertionError as error:
            raise CannotMeasure(str(error)) from None


def put_behind_shell(world: World, server: Server, interval: str, settle: str) -> None:
    """Starts of `server` then go through the shell wrapper instead of antifreeze-run."""
    server.gated = False
    server.prefix = [SHELL_GATE, str(world.dir / "shell.lock"), f"http://127.0.0.1:{server.port}/health", interval, settle]
    server.env = {"SHELL_GATE_LOG": str(shell_log(world, server))}


def shell_log(world: World, server: Server) -> pathlib.Path:
    return world.dir / f"{server.name}.settled"


def shell_settled_ns(world: World, server: Server) -> int | None:
    """CLOCK_MONOTONIC ns at which the shell wrapper's sleep was over."""
    try:
        text = shell_log(world, server).read_text().strip()
    except FileNotFoundError:
        return None
    seconds, _, micros = text.partition(".")
    return int(seconds) * 1_000_000_000 + int(micros) * 1000 - (time.time_ns() - time.monotonic_ns()) if micros else None


def gate_lines(world: World, state: str) -> dict[str, int]:
    """When the gate logged that state of each service, as CLOCK_MONOTONIC ns."""
    offset = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()
    return {line["service"]: line["boottime_ns"] - offset for line in world.log().lines if line["state"] == state}


def first_seen(world: World, phase: str) -> dict[str, int]:
    """When each service's own process wrote that phase into the journal; `import` is its first line after exec."""
    seen: dict[str, int] = {}
    for line in read_lines(world.gpu_dir / "journal.jsonl"):
        if line["phase"] == phase and line["role"] == "parent":
            seen.setdefault(line["svc"], line["mono_ns"])
    return seen


def await_all(world: World, done, timeout: float) -> None:
    """Until done() is true; a server that ends before makes the figure impossible."""
    def look():
        ended = [server.name for server in world.servers if server.process and server.process.poll() is not None]
        if ended and not done():
            raise CannotMeasure(f"{', '.join(ended)} ended: {world.report()[-3000:]}")
        return done()
    try:
        proc.until(look, timeout, "all servers up", every=0.02)
    except proc.TooLate:
        raise CannotMeasure(f"not all servers were up after {timeout} s: {world.report()[-3000:]}") from None


def spawn_until_output(argv: list[str], sink: int) -> float:
    """Seconds from spawn until the first byte of the command arrives on a pipe. What goes to stderr goes to `sink`."""
    reading, writing = os.pipe()
    try:
        begun = time.perf_counter()
        pid = os.posix_spawn(argv[0], argv, os.environ,
                             file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1), (os.POSIX_SPAWN_DUP2, sink, 2)])
        os.close(writing)
        writing = -1
        first = os.read(reading, 1)
        took = time.perf_counter() - begun
        _, status = os.waitpid(pid, 0)
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)
    if not first or status != 0:
        raise CannotMeasure(f"{argv} ended with {os.waitstatus_to_exitcode(status)} and {'some' if first else 'no'} output")
    return took


def spawn_and_wait(argv: list[str], sink: int) -> tuple[float, float]:
    """Seconds from fork to the end of the process; CPU seconds of it and its children. Its output goes to `sink`."""
    begun = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, sink, 1), (os.POSIX_SPAWN_DUP2, sink, 2)])
    _, status, usage = os.wait4(pid, 0)
    took = time.perf_counter() - begun
    if status != 0:
        raise CannotMeasure(f"{argv} ended with {os.waitstatus_to_exitcode(status)}")
    return took, usage.ru_utime + usage.ru_stime
