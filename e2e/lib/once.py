"""One command behind a gate directory that something is wrong with: refused with one line, or let through when asked to."""

import subprocess

from lib import proc


def run(*options: str, env: dict | None = None, command: tuple = ("/bin/echo", "started")) -> subprocess.CompletedProcess:
    argv = [proc.program("antifreeze-run"), "--gather", "0s", "--settle", "0s", "--name", "S", *options, "--", *command]
    return subprocess.run(argv, capture_output=True, text=True, timeout=10, check=False, stdin=subprocess.DEVNULL,
                          env={"PATH": "/usr/bin:/bin", **(env or {})})


def refused(done: subprocess.CompletedProcess, *words: str) -> None:
    """125, nothing started, and one line that says what is wrong."""
    assert done.returncode == 125, done
    assert "started" not in done.stdout
    lines = [line for line in done.stderr.splitlines() if line]
    assert len(lines) == 1, done.stderr
    for word in words:
        assert word in lines[0], f"{word!r} is not in: {lines[0]}"


def went_on(done: subprocess.CompletedProcess) -> None:
    assert done.returncode == 0 and done.stdout == "started\n", done
    assert "WITHOUT the gate" in done.stderr
