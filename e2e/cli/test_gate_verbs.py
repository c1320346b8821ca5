"""The gate verbs, on servers that really queue, start and die."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

import pytest
from lib import proc
from schema_check import check

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "docs" / "reference" / "schemas"


def schema(name: str) -> dict:
    return json.loads((SCHEMAS / name).read_text())


def status(cli) -> dict:
    answer = json.loads(cli.gate("status", "--json").stdout)
    check(answer, schema("gate-status.v1.json"))
    return answer


@pytest.fixture
def two(cli):
    """One server that holds the gate (it never becomes ready) and one that waits behind it."""
    holder = cli.start("holder", "sleep", "60", ready="tcp:1", priority="5")
    cli.until_state("holder", "starting")
    waiter = cli.start("waiter", "sleep", "60")
    cli.until_state("waiter", "queued")
    yield holder, waiter
    for process in (holder, waiter):
        process.send_signal(signal.SIGKILL)


def test_status_names_holder_and_queue_with_their_host_pids(cli, two):
    holder, waiter = two
    answer = status(cli)
    assert answer["mode"] == "trusted"
    assert [one["service"] for one in answer["holders"]] == ["holder"]
    assert answer["holders"][0]["state"] == "starting"
    assert holder.pid in answer["holders"][0]["host_pids"]
    assert [(one["position"], one["service"]) for one in answer["queue"]] == [(1, "waiter")]
    assert waiter.pid in answer["queue"][0]["host_pids"]
    text = cli.gate("status").stdout
    assert "holder   holder" in text and "queue    1 waiter" in text


def test_status_does_not_write_and_is_not_in_the_way(cli, two):
    before = {path.name: path.stat().st_mtime_ns for path in cli.gate_dir.iterdir()}
    for _ in range(20):
        cli.gate("status")
    assert {path.name: path.stat().st_mtime_ns for path in cli.gate_dir.iterdir()} == before


def test_status_shows_a_dead_holder_as_a_wreck(cli, two):
    holder, _ = two
    cli.gate("pause", "--for", "1m", "--reason", "so that nobody clears it away")
    below = proc.descendants(holder.pid)
    for pid in [holder.pid, *below]:
        proc.kill(pid)
    proc.wait(holder, 5)
    proc.until(lambda: [one["service"] for one in status(cli)["wrecks"]] == ["holder"], 5, "a wreck")


def test_log_lines_are_what_the_schema_says(cli, two):
    lines = cli.gate("log", "--json").stdout.splitlines()
    assert len(lines) >= 3
    for line in lines:
        check(json.loads(line), schema("gate-log.v1.json"))
    assert len(cli.gate("log", "--json", "-n", "2").stdout.splitlines()) == 2


def test_chart_shows_both_and_fits_eighty_columns(cli, two):
    lines = cli.gate("log", "--chart").stdout.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert any(line.startswith("holder ") and "▒" in line for line in lines)
    assert any(line.startswith("waiter ") and "·" in line for line in lines)
    saved = cli.gate_dir / "log.jsonl"
    plain = cli.raw("gate", "log", "--file", str(saved), "--chart", "--ascii").stdout
    assert plain.isascii() and "\nholder " in plain


def has_a_watch(pid: int) -> bool:
    """Whether an inotify descriptor of the process watches something already; descriptors come and go meanwhile."""
    for info in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        try:
            if "inotify wd:" in info.read_text():
                return True
        except OSError:
            continue
    return False


def test_follow_prints_what_happens_from_now_on(cli):
    cli.gate_dir.mkdir()
    follower = proc.start([proc.program("antifreeze"), "gate", "log", "--follow", "--json", "--gate-dir", str(cli.gate_dir)],
                          stdout=subprocess.PIPE, text=True)
    # It prints nothing at first; it follows once its watch on the directory is there.
    proc.until(lambda: has_a_watch(follower.pid), 5, "following")
    server = cli.start("chat", "sleep", "60")
    states = []
    end = time.monotonic() + 10
    while "ready" not in states and time.monotonic() < end:
        states.append(json.loads(follower.stdout.readline())["state"])
    follower.kill()
    server.send_signal(signal.SIGTERM)
    assert states[0] == "queued" and states[-1] == "ready"


def test_pause_keeps_a_start_waiting_until_resume(cli):
    cli.gate_dir.mkdir()
    cli.gate("pause", "--for", "5m", "--reason", "driver update")
    server = cli.start("chat", "sleep", "60")
    cli.until_state("chat", "queued")
    proc.until(lambda: "the gate is paused: driver update" in cli.gate("log").stdout, 5, "the reason of the pause")
    answer = status(cli)
    assert answer["paused"] and answer["pause"]["reason"] == "driver update"
    cli.gate("resume")
    cli.until_state("chat", "ready")
    server.send_signal(signal.SIGTERM)
    assert not status(cli)["paused"]


def test_a_held_service_starts_again_after_reset(cli):
    server = cli.start("ocr", "false", max_failures="1")
    assert proc.wait(server, 10) == 1
    held = cli.start("ocr", "sleep", "60", max_failures="1")
    cli.until_state("ocr", "held")
    answer = status(cli)
    assert [(one["service"], one["state"], one["failures"]) for one in answer["held"]] == [("ocr", "held", 1)]
    assert "antifreeze gate reset" in cli.gate("status").stdout
    wrong = cli.try_gate("reset", "ocrr")
    assert wrong.returncode == 66 and "did you mean 'ocr'?" in wrong.stderr
    assert "ocr: reset; was held" in cli.gate("reset", "ocr").stdout
    cli.until_state("ocr", "ready", 5)
    assert status(cli)["held"] == []
    held.send_signal(signal.SIGTERM)


def test_a_stuck_registry_is_named_and_replaced(cli, two):
    code = "import fcntl,os,struct,sys,time; f=os.open(sys.argv[1],os.O_RDWR); " \
           "fcntl.fcntl(f,37,struct.pack('hhqqi4x',1,0,0,0,0)); print('locked',flush=True); time.sleep(60)"
    holder = proc.start(["/usr/bin/python3", "-c", code, str(cli.gate_dir / "registry")], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "locked\n"
    assert cli.gate("status").returncode == 0
    done = cli.gate("reset", "--registry").stdout
    assert f"which pid {holder.pid} had locked" in done
    holder.kill()


def test_keep_sets_up_saves_and_says_that_it_is_ready(cli, tmp_path):
    import socket
    notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notify.bind(str(tmp_path / "notify"))
    notify.settimeout(10)
    keeper = proc.start([proc.program("antifreeze"), "gate", "keep", "--no-mount", "--gate-dir", str(cli.gate_dir), "--state-dir",
                         str(cli.state_dir)], env={"NOTIFY_SOCKET": str(tmp_path / "notify")}, stderr=subprocess.PIPE, text=True)
    assert b"READY=1" in notify.recv(4096)
    assert status(cli)["mode"] == "host"
    server = cli.start("ocr", "false", max_failures="1")
    assert proc.wait(server, 10) == 1
    proc.until(lambda: (cli.state_dir / "b-ocr").exists() and (cli.state_dir / "log.jsonl").exists(), 5, "saved")
    keeper.send_signal(signal.SIGTERM)
    assert proc.wait(keeper, 5) == 0
    assert b"STOPPING=1" in notify.recv(4096)
    assert '"exited"' in (cli.state_dir / "log.jsonl").read_text()


def test_what_is_not_permitted_is_one_clear_line(cli):
    cli.gate_dir.mkdir()
    cli.gate_dir.chmod(0o1777)
    cli.start("chat", "true").wait(10)

    for words in (["pause", "--for", "1m", "--reason", "x"], ["resume"], ["reset", "--registry"], ["reset", "chat"]):
        # As a user of the same group whose name is nobody's: setpriv, so that no entry in passwd is needed.
        done = subprocess.run(["setpriv", "--reuid", "12345", "--clear-groups", proc.program("antifreeze"), "gate", *words,
                               "--gate-dir", str(cli.gate_dir)], capture_output=True, text=True, timeout=20, check=False)
        assert done.returncode == 77, (words, done)
        assert done.stderr.startswith("antifreeze: gate ") and done.stderr.count("\n") == 1, done.stderr
        if words[0] == "reset":
            assert done.stderr.endswith("; run as root\n"), done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user takes root")
@pytest.mark.parametrize("verb", ["setup", "keep"])
def test_the_hosts_side_says_that_it_takes_root(verb):
    with tempfile.TemporaryDirectory(dir="/var") as folder:
        done = subprocess.run(["setpriv", "--reuid", "12345", "--clear-groups", proc.program("antifreeze"), "gate", verb,
                               "--gate-dir", f"{folder}/gate", "--state-dir", f"{folder}/state"], capture_output=True, text=True,
                              timeout=20, check=False)
    assert done.returncode == 77, done
    assert done.stderr.endswith("; run as root\n") and done.stderr.count("\n") == 1, done.stderr


def test_missing_directory_is_one_clear_line(cli):
    for words in (["status"], ["log"], ["pause", "--for", "1m", "--reason", "x"], ["resume"], ["reset", "--all"]):
        done = cli.try_gate(*words)
        assert done.returncode == 66, (words, done)
        assert done.stderr.startswith("antifreeze: gate directory ") and done.stderr.count("\n") == 1
        assert not cli.gate_dir.exists()
