"""S15, S16, S17: as PID 1 of a namespace of its own: zombies, orphans, signals, exit codes."""

import os
import pathlib
import signal
import subprocess
import time

import pytest

from lib import proc

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="a PID namespace takes root")
NAMESPACE = ["unshare", "-pf", "--mount-proc", "--kill-child"]


@pytest.fixture
def first(tmp_path):
    """Starts a command under antifreeze-run as PID 1. Returns (process of unshare, host pid of PID 1)."""
    def start(*command: str, options: tuple = ()):
        log = (tmp_path / "out").open("wb")
        argv = [*NAMESPACE, proc.program("antifreeze-run"), "--gate-dir", str(tmp_path / "gate"), "--name", "S", "--gather", "0s",
                "--settle", "0s", *options, "--", *command]
        with log:
            process = proc.start(argv, stdout=log, stderr=log, env={"PATH": "/usr/bin:/bin"})
        children = proc.until(lambda: proc.children_map().get(process.pid), 5, "PID 1 appears")
        return process, children[0]
    yield start
    proc.sweep()


def output(tmp_path: pathlib.Path) -> str:
    return (tmp_path / "out").read_text(errors="replace")


def zombies_below(pid: int) -> list[int]:
    return [child for child in proc.descendants(pid) if (proc.stat_fields(child) or ["?"])[0] == "Z"]


MANY_ORPHANS = """
import os, time
for _ in range(200):
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(0.01)
            os._exit(3)
        os._exit(0)
    os.wait()
print('made', flush=True)
time.sleep(60)
"""


def test_s15_orphans_that_end_are_reaped(first, tmp_path):
    process, init = first("/usr/bin/python3", "-c", MANY_ORPHANS)
    proc.until(lambda: "made" in output(tmp_path), 20, lambda: output(tmp_path))
    proc.until(lambda: not zombies_below(init), 5, lambda: f"zombies stay: {zombies_below(init)}")
    # Keeper and command; the last orphan may still be on its way out.
    proc.until(lambda: len(proc.descendants(init)) <= 2, 5, lambda: f"left: {proc.descendants(init)}")
    begin = time.monotonic()
    proc.kill(init, signal.SIGTERM)
    assert proc.wait(process, 5) == 128 + 15
    assert time.monotonic() - begin < 2


@pytest.mark.parametrize("code", [0, 7, 125, 255])
def test_the_code_of_the_command_is_the_code_of_pid_1(first, code):
    process, _ = first("/bin/sh", "-c", f"sleep 0.2; exit {code}")
    assert proc.wait(process, 5) == code


def test_the_command_killed_by_a_signal(first):
    process, _ = first("/bin/sh", "-c", "sleep 0.2; kill -11 $$")
    assert proc.wait(process, 5) == 139


LEAVES_A_DEAF_ORPHAN = """
import os, signal, time
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)
time.sleep(0.2)
os._exit(4)
"""


def test_s16_orphans_get_term_and_after_five_seconds_kill(first):
    begin = time.monotonic()
    process, init = first("/usr/bin/python3", "-c", LEAVES_A_DEAF_ORPHAN)
    assert proc.wait(process, 12) == 4
    assert 4.5 < time.monotonic() - begin < 9


def test_s16_orphans_that_listen_to_term_end_at_once(first):
    script = LEAVES_A_DEAF_ORPHAN.replace("    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n", "")
    begin = time.monotonic()
    process, _ = first("/usr/bin/python3", "-c", script)
    assert proc.wait(process, 12) == 4
    assert time.monotonic() - begin < 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT])
def test_an_unhandled_signal_reaches_the_command_although_pid_1_is_immune(first, tmp_path, number):
    process, init = first("/bin/sleep", "60")
    proc.until(lambda: [pid for pid in proc.descendants(init) if proc.comm(pid) == "sleep"], 5, lambda: output(tmp_path))
    proc.kill(init, number)
    assert proc.wait(process, 5) == 128 + number


def test_stopping_and_continuing_the_command_does_not_confuse_pid_1(first, tmp_path):
    process, init = first("/bin/sleep", "60")
    command = proc.until(lambda: [pid for pid in proc.descendants(init) if proc.comm(pid) == "sleep"], 5,
                         lambda: output(tmp_path))[0]
    proc.kill(command, signal.SIGSTOP)
    time.sleep(0.2)
    assert process.poll() is None
    proc.kill(command, signal.SIGCONT)
    proc.kill(command, signal.SIGKILL)
    assert proc.wait(process, 5) == 137


def test_below_another_init_it_is_the_subreaper(tmp_path):
    """docker run --init puts tini in front: orphans still come to us, not to it."""
    if not pathlib.Path("/usr/bin/tini").exists():
        pytest.skip("tini is not installed")
    argv = [*NAMESPACE, "/usr/bin/tini", "--", proc.program("antifreeze-run"), "--gate-dir", str(tmp_path / "gate"),
            "--gather", "0s", "--settle", "0s", "--", "/usr/bin/python3", "-c", LEAVES_A_DEAF_ORPHAN]
    begin = time.monotonic()
    done = subprocess.run(argv, timeout=15, check=False, capture_output=True)
    proc.reap_orphans()
    assert done.returncode == 4
    assert time.monotonic() - begin > 4.5, "the orphan was left to tini"


def test_closed_standard_descriptors_are_no_trouble(tmp_path):
    """Started by something that closes 0, 1 and 2: the ticket must not end up as the server's stdout."""
    script = (f"exec 0<&- 1>&- 2>&-; exec {proc.program('antifreeze-run')} --gate-dir {tmp_path}/gate --gather 0s "
              f"--settle 0s -- /bin/sh -c 'ls -l /proc/self/fd > {tmp_path}/fds; exit 6'")
    done = subprocess.run(["/bin/sh", "-c", script], timeout=10, check=False)
    assert done.returncode == 6
    assert "/gate/" not in (tmp_path / "fds").read_text()
