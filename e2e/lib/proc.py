"""Processes under test: found, started, waited for, and ended for certain. Nothing here waits without an end."""

import ctypes
import os
import pathlib
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("AF_BIN", ROOT / "build" / "bin"))

PR_SET_CHILD_SUBREAPER = 36
STARTED: dict[int, subprocess.Popen] = {}  # by start(), until the sweep has collected them
_libc = ctypes.CDLL(None, use_errno=True)


class TooLate(AssertionError):
    """Something did not happen in time. An assertion, so that a test fails with what was awaited."""


def program(name: str) -> str:
    """Path of a program under test. AF_BIN names another folder than build/bin."""
    path = BIN / name
    assert path.is_file(), f"{path} is missing: run ./dev build (or set AF_BIN)"
    return str(path)


def become_subreaper() -> None:
    """Orphans of the programs under test become our children, so that none can escape the sweep."""
    if _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def until(condition, timeout: float, what: str, every: float = 0.003):
    """The first true answer of `condition`. Raises TooLate with `what` (a text, or a function that makes one)."""
    end = time.monotonic() + timeout
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() >= end:
            text = what() if callable(what) else what
            raise TooLate(f"not within {timeout} s: {text}")
        time.sleep(every)


def wait(process: subprocess.Popen, timeout: float, what: str = "") -> int:
    """Exit code, as a shell counts it: 128 + signal."""
    try:
        code = process.wait(timeout)
    except subprocess.TimeoutExpired:
        raise TooLate(f"pid {process.pid} {what or process.args} still runs after {timeout} s") from None
    return code if code >= 0 else 128 - code


def stat_fields(pid: int) -> list[str] | None:
    """Fields of /proc/PID/stat from the state on (index 0), or None when the process is gone."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text[text.rfind(")") + 2:].split()


def is_running(pid: int) -> bool:
    """Exists and is no zombie: a zombie has given back everything but its number."""
    fields = stat_fields(pid)
    return fields is not None and fields[0] not in "ZX"


def start_time(pid: int) -> int | None:
    """Clock ticks after boot: with the pid, the identity of a process."""
    fields = stat_fields(pid)
    return int(fields[19]) if fields else None


def comm(pid: int) -> str:
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def cmdline(pid: int) -> list[str]:
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
    except (FileNotFoundError, ProcessLookupError):
        return []


def all_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def children_map() -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for pid in all_pids():
        fields = stat_fields(pid)
        if fields:
            children.setdefault(int(fields[1]), []).append(pid)
    return children


def descendants(pid: int) -> list[int]:
    """Every process below `pid`, nearest first, zombies too."""
    children = children_map()
    found, queue = [], [pid]
    while queue:
        for child in children.get(queue.pop(0), []):
            found.append(child)
            queue.append(child)
    return found


def kill(pid: int, number: int = signal.SIGKILL) -> bool:
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def reap_orphans() -> None:
    """Collects adopted children that ended. Those of a live Popen are left to it."""
    for pid in children_map().get(os.getpid(), []):
        fields = stat_fields(pid)
        if fields and fields[0] == "Z" and pid not in STARTED:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass


def start(argv: list[str], **kwargs) -> subprocess.Popen:
    """Popen that the sweep knows about."""
    kwargs.setdefault("stdin", subprocess.DEVNULL)
    kwargs.setdefault("start_new_session", True)
    process = subprocess.Popen([str(word) for word in argv], **kwargs)
    STARTED[process.pid] = process
    return process


def sweep(timeout: float = 10) -> None:
    """Ends every process that the tests started or adopted, and collects them all. Stopped ones too: KILL ends them."""
    end = time.monotonic() + timeout
    while True:
        below = descendants(os.getpid())
        for pid in below:
            kill(pid)
        for pid, process in list(STARTED.items()):
            if process.poll() is not None:
                del STARTED[pid]
        reap_orphans()
        if not below:
            return
        if time.monotonic() > end:
            raise TooLate("processes survive SIGKILL: " + ", ".join(f"{p} {comm(p)}" for p in below))
        time.sleep(0.002)
