"""What is generated from the command table, and the parts around it."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from lib import proc
from schema_check import check

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNIT = ROOT / "packaging" / "systemd" / "antifreeze-gate.service"


def test_reference_is_what_the_program_generates(cli, tmp_path):
    done = cli.raw("completion", "markdown", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    made = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    kept = {path.name: path.read_text() for path in (ROOT / "docs" / "reference").glob("*.md")}
    assert made == kept, "run: antifreeze completion markdown docs/reference"


def test_man_pages_are_without_complaint(cli, tmp_path):
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    assert cli.raw("completion", "man", str(tmp_path)).returncode == 0
    pages = sorted(tmp_path.glob("*.1"))
    assert {"antifreeze.1", "antifreeze-run.1", "antifreeze-gate-status.1"} <= {page.name for page in pages}
    for page in pages:
        done = subprocess.run(["groff", "-man", "-Tutf8", "-K", "utf8", "-ww", str(page)], capture_output=True, text=True, timeout=20, check=False)
        assert done.returncode == 0 and done.stderr == "", (page.name, done.stderr)
        assert "antifreeze" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_are_accepted_by_their_shell(cli, tmp_path, shell):
    script = tmp_path / shell
    script.write_text(cli.raw("completion", shell).stdout)
    assert "--gate-dir" in script.read_text() or "-l gate-dir" in script.read_text()
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def complete(script: str, *words: str) -> list[str]:
    """What bash offers for the last word."""
    code = f'{script}\nCOMP_WORDS=({" ".join(words)} ""); COMP_CWORD={len(words)}; _antifreeze; printf "%s\\n" "${{COMPREPLY[@]}}"'
    return subprocess.run(["bash", "-c", code], capture_output=True, text=True, timeout=20, check=True).stdout.split()


def test_bash_offers_verbs_options_and_values(cli):
    script = cli.raw("completion", "bash").stdout
    assert {"run", "gate", "version"} <= set(complete(script, "antifreeze"))
    assert {"status", "log", "keep"} <= set(complete(script, "antifreeze", "gate"))
    assert {"--chart", "--json"} <= set(complete(script, "antifreeze", "gate", "log"))
    assert set(complete(script, "antifreeze", "run", "--on-timeout")) == {"release", "kill"}


def test_version_and_errors(cli):
    done = cli.raw("version", "--json")
    answer = json.loads(done.stdout)
    assert answer["schema"] == "antifreeze/version/v1"
    assert cli.raw("--version").stdout == f"antifreeze {answer['version']}\n"
    wrong = cli.raw("gate", "statsu")
    assert wrong.returncode == 2
    assert wrong.stderr == "antifreeze: unknown verb 'gate statsu'; did you mean 'antifreeze gate status'?\n"


def test_run_is_antifreeze_run(cli, tmp_path):
    gate = ["--gate-dir", str(tmp_path / "gate"), "--gather", "0s", "--settle", "0s", "--ready", "none"]
    assert cli.raw("run", *gate, "--", "sh", "-c", "exit 7").returncode == 7
    assert cli.raw("run", *gate, "--", "no-such-command").returncode == 127
    assert cli.raw("run", "--no-such-option").returncode == 2
    assert cli.raw("--json", "run", *gate, "--", "true").returncode == 2


def test_colours_only_on_a_terminal_that_wants_them(cli, tmp_path):
    import pty
    (tmp_path / "gate").mkdir()
    subprocess.run([proc.program("antifreeze-run"), "--gate-dir", str(tmp_path / "gate"), "--gather", "0s", "--settle", "0s",
                    "--ready", "none", "--", "true"], timeout=10, check=True)
    argv = [proc.program("antifreeze"), "gate", "log", "--chart", "--gate-dir", str(tmp_path / "gate")]

    def on_terminal(**env) -> bytes:
        main, side = pty.openpty()
        subprocess.run(argv, stdout=side, env=env, timeout=10, check=True)
        os.close(side)
        out = b""
        try:
            while part := os.read(main, 65536):
                out += part
        except OSError:
            pass  # EIO: the other end is closed
        os.close(main)
        return out
    assert b"\x1b[" in on_terminal()
    assert b"\x1b[" not in on_terminal(NO_COLOR="1")
    assert b"\x1b[" not in subprocess.run(argv, capture_output=True, env={}, timeout=10, check=True).stdout


def test_unit_is_valid(tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    # As it will be on a machine with the package: the program and its pages exist.
    lines = [line for line in UNIT.read_text().splitlines() if not line.startswith("Documentation=")]
    copy = tmp_path / UNIT.name
    copy.write_text("\n".join(lines).replace("/usr/bin/antifreeze ", "/usr/bin/true ") + "\n")
    done = subprocess.run(["systemd-analyze", "verify", str(copy)], capture_output=True, text=True, timeout=60, check=False)
    complaints = [line for line in (done.stdout + done.stderr).splitlines() if UNIT.name in line]
    assert complaints == []


def test_unit_stays_in_the_hosts_mount_namespace():
    """What gives a service a mount namespace of its own would hide the gate's tmpfs from everybody else."""
    hiding = ["ProtectSystem", "ProtectHome", "PrivateTmp", "PrivateDevices", "PrivateMounts", "ProtectKernel", "ProtectControlGroups",
              "ProtectProc", "ProcSubset", "ReadOnlyPaths", "InaccessiblePaths", "ReadWritePaths", "BindPaths", "TemporaryFileSystem",
              "MountAPIVFS", "RootDirectory", "DynamicUser", "PrivateNetwork", "MountFlags"]
    settings = [line for line in UNIT.read_text().splitlines() if "=" in line and not line.startswith("#")]
    assert [line for line in settings if line.startswith(tuple(hiding))] == []
    assert "Before=docker.service containerd.service" in settings
    assert "Type=notify" in settings


def test_schema_checker_can_fail():
    with pytest.raises(AssertionError):
        check({"a": 1}, {"type": "object", "properties": {"b": {"type": "string"}}})
    with pytest.raises(AssertionError):
        check([1], {"type": "array", "items": {"type": "string"}})
    with pytest.raises(AssertionError):
        check(True, {"type": "integer"})
    with pytest.raises(AssertionError):
        check({}, {"anyOf": []})
