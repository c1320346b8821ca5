import pathlib
import subprocess
import sys

import pytest

from lib import proc

sys.path.insert(0, str(pathlib.Path(__file__).parent))


class Cli:
    """The command line tool, on a gate directory of its own."""

    def __init__(self, folder: pathlib.Path):
        self.gate_dir = folder / "gate"
        self.state_dir = folder / "state"

    def raw(self, *words: str, env: dict | None = None, **more) -> subprocess.CompletedProcess:
        return subprocess.run([proc.program("antifreeze"), *words], capture_output=True, text=True, timeout=30, check=False,
                              env={"PATH": "/usr/bin:/bin", **(env or {})}, **more)

    def gate(self, *words: str, **more) -> subprocess.CompletedProcess:
        """A gate verb on our directory; must succeed."""
        done = self.try_gate(*words, **more)
        assert done.returncode == 0, f"{words}: {done.returncode} {done.stderr}"
        return done

    def try_gate(self, *words: str, **more) -> subprocess.CompletedProcess:
        return self.raw("gate", *words, "--gate-dir", str(self.gate_dir), **more)

    def start(self, name: str, *command: str, **options: str) -> subprocess.Popen:
        """A server behind the gate: short windows, ready as soon as it runs, unless told otherwise."""
        given = {"gather": "0s", "settle": "0s", "ready": "none", **options}
        words = [word for key, value in given.items() for word in (f"--{key.replace('_', '-')}", value)]
        return proc.start([proc.program("antifreeze-run"), "--gate-dir", str(self.gate_dir), "--name", name, *words, "--", *command])

    def until_state(self, name: str, state: str, timeout: float = 10) -> None:
        def look():
            done = self.try_gate("log", "--json", "--quiet")
            return done.returncode == 0 and f'"service":"{name}"' in done.stdout and any(
                f'"service":"{name}"' in line and f'"state":"{state}"' in line for line in done.stdout.splitlines())
        proc.until(look, timeout, lambda: f"{name} {state}: {self.try_gate('log').stdout}", every=0.05)


@pytest.fixture
def cli(tmp_path):
    return Cli(tmp_path)
