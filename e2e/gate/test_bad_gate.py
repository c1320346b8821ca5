"""S13: a gate directory that is missing, read-only, full, on a network, or not the host's.

One clear line, fail-closed unless asked otherwise, never a silent hang.
"""

import os
import pathlib
import subprocess

import pytest

from lib import oracle, proc
from lib.fusefs import FuseMount
from lib.mounts import mount, set_up_gate, tmpfs
from lib.once import refused, run, went_on
from lib.world import MS, SETTLE_MS

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting takes root")



SHARED = {"ANTIFREEZE_SHARED": "1"}


def test_the_hosts_directory_is_missing(tmp_path):
    refused(run("--gate-dir", str(tmp_path / "none"), env=SHARED), "does not exist", "gate setup")
    assert not (tmp_path / "none").exists()


def test_missing_and_asked_to_go_on(tmp_path):
    went_on(run("--gate-dir", str(tmp_path / "none"), "--on-gate-error", "proceed", env=SHARED))


def test_a_directory_given_by_hand_is_made(tmp_path):
    done = run("--gate-dir", str(tmp_path / "a" / "b"))
    assert done.returncode == 0 and done.stdout == "started\n"
    assert (tmp_path / "a" / "b").stat().st_mode & 0o7777 == 0o1777


def test_a_directory_that_is_made_is_named_once(tmp_path):
    """A typing error makes a gate of its own, in which nobody waits for anybody."""
    line = f"antifreeze: made new gate directory {tmp_path / 'gaet'}"
    words = ("--gate-dir", str(tmp_path / "gaet"), "--hold-until-exit")
    assert line in run(*words).stderr.splitlines()
    assert "made new gate directory" not in run(*words).stderr


def test_a_tilde_that_the_shell_left_alone_is_refused(tmp_path):
    done = subprocess.run([proc.program("antifreeze-run"), "--gate-dir=~/gate", "--", "/bin/true"], cwd=tmp_path, text=True,
                          capture_output=True, timeout=10, check=False)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1 and "the shell did not expand" in done.stderr
    assert not list(tmp_path.iterdir())
    for words in (["status"], ["setup", "--no-mount"], ["reset", "--all"]):
        done = subprocess.run([proc.program("antifreeze"), "gate", *words, "--gate-dir", "~/gate"], cwd=tmp_path, text=True,
                              capture_output=True, timeout=10, check=False)
        assert done.returncode != 0 and "the shell did not expand" in done.stderr and not list(tmp_path.iterdir()), done


def test_an_empty_directory_in_place_of_the_mount(tmp_path):
    """What dockerd makes when the host was not set up: two gates would exist."""
    (tmp_path / "gate").mkdir()
    refused(run("--gate-dir", str(tmp_path / "gate"), env=SHARED), "gate.id")
    went_on(run("--gate-dir", str(tmp_path / "gate"), "--on-gate-error", "proceed", env=SHARED))


@needs_root
def test_marked_but_not_on_tmpfs(tmp_path):
    kind = subprocess.run(["stat", "-f", "-c", "%T", str(tmp_path)], capture_output=True, text=True, check=True).stdout.strip()
    if kind == "tmpfs":
        pytest.skip("the temporary directory is on tmpfs itself")
    (tmp_path / "gate").mkdir()
    set_up_gate(tmp_path / "gate")
    refused(run("--gate-dir", str(tmp_path / "gate"), env=SHARED), "not on tmpfs")


@needs_root
def test_the_hosts_directory_as_it_should_be(tmp_path):
    with tmpfs(tmp_path / "gate") as gate:
        set_up_gate(gate)
        done = run("--gate-dir", str(gate), env=SHARED)
        assert done.returncode == 0 and done.stdout == "started\n", done
        (gate / "registry").unlink()
        refused(run("--gate-dir", str(gate), env=SHARED), "registry")
        set_up_gate_id_empty(gate)
        refused(run("--gate-dir", str(gate), env=SHARED), "gate.id")


def set_up_gate_id_empty(gate: pathlib.Path) -> None:
    (gate / "registry").write_text("")
    (gate / "gate.id").chmod(0o644)
    (gate / "gate.id").write_text("")


@needs_root
@pytest.mark.parametrize("ready_before", [True, False], ids=["used-before", "never-used"])
def test_read_only(tmp_path, ready_before):
    with tmpfs(tmp_path / "gate") as gate:
        if ready_before:
            set_up_gate(gate)
        mount("tmpfs", gate, "tmpfs", "remount,ro")
        refused(run("--gate-dir", str(gate)), "ead-only")
        went_on(run("--gate-dir", str(gate), "--on-gate-error", "proceed"))


@needs_root
def test_status_of_a_gate_on_a_read_only_mount(tmp_path):
    with tmpfs(tmp_path / "gate") as gate:
        set_up_gate(gate)
        assert run("--gate-dir", str(gate), "--name", "chat").returncode == 0
        mount("tmpfs", gate, "tmpfs", "remount,ro")
        for words in (["status"], ["log"]):
            done = subprocess.run([proc.program("antifreeze"), "gate", *words, "--gate-dir", str(gate)], text=True,
                                  capture_output=True, timeout=10, check=False)
            assert done.returncode == 0 and not done.stderr, done
        assert "chat" in done.stdout


@needs_root
def test_full(tmp_path):
    with tmpfs(tmp_path / "gate", "size=64k,mode=1777") as gate:
        set_up_gate(gate)
        with pytest.raises(OSError):
            (gate / "filler").write_bytes(bytes(1 << 20))
        refused(run("--gate-dir", str(gate)), "No space left")
        went_on(run("--gate-dir", str(gate), "--on-gate-error", "proceed"))


@needs_root
def test_out_of_inodes(tmp_path):
    with tmpfs(tmp_path / "gate", "size=1m,nr_inodes=6,mode=1777") as gate:
        set_up_gate(gate)
        with pytest.raises(OSError):
            for index in range(10):
                (gate / f"filler{index}").write_text("")
        refused(run("--gate-dir", str(gate)), "No space left")


@needs_root
def test_filled_up_while_held_and_queued(make_world):
    """A ticket's space is taken when it is made: who is in the queue gets through, whoever fills the disk."""
    world = make_world()
    with tmpfs(world.gate_dir, "size=128k,mode=1777") as gate:
        a, b = world.server("A", priority=1, fake={"load-ms": 300}), world.server("B")
        for server in (a, b):
            world.start(server)
        world.until_state(a, "starting")
        world.until_state(b, "queued")
        with pytest.raises(OSError):
            (gate / "filler").write_bytes(bytes(1 << 20))
        proc.until(lambda: sum(line["phase"] == "serve" for line in world.journal()) == 2, 10, world.report)
        oracle.check_windows(world.attempts(), SETTLE_MS * MS)
        world.close()


@needs_root
def test_on_a_network_file_system(tmp_path):
    (tmp_path / "net").mkdir()
    try:
        fuse = FuseMount(tmp_path / "net").__enter__()
    except OSError as error:
        pytest.skip(f"no FUSE here to stand in for a network file system: {error}")
    try:
        refused(run("--gate-dir", str(tmp_path / "net")), "whose locks may not exclude")
        went_on(run("--gate-dir", str(tmp_path / "net"), "--on-gate-error", "proceed"))
    finally:
        fuse.__exit__()


def test_a_file_in_its_place(tmp_path):
    (tmp_path / "gate").write_text("")
    refused(run("--gate-dir", str(tmp_path / "gate")), "gate")


@pytest.mark.parametrize("name", ["registry", "gate.id"])
@pytest.mark.parametrize("what", ["link", "fifo", "folder"])
def test_something_odd_in_place_of_a_file(tmp_path, name, what):
    """Never followed, never opened to wait for a writer."""
    gate = tmp_path / "gate"
    gate.mkdir()
    if what == "link":
        (tmp_path / "elsewhere").write_text("x")
        (gate / name).symlink_to(tmp_path / "elsewhere")
    elif what == "fifo":
        os.mkfifo(gate / name)
    else:
        (gate / name).mkdir()
    refused(run("--gate-dir", str(gate)), "gate")


@pytest.mark.parametrize("what", ["link", "fifo", "folder"])
def test_an_event_log_that_cannot_be_written_does_not_stop_a_start(tmp_path, what):
    gate = tmp_path / "gate"
    gate.mkdir()
    if what == "link":
        (gate / "log.jsonl").symlink_to(tmp_path / "victim")
    elif what == "fifo":
        os.mkfifo(gate / "log.jsonl")
    else:
        (gate / "log.jsonl").mkdir()
    done = run("--gate-dir", str(gate))
    assert done.stdout == "started\n" and done.returncode == 0, done
    assert "event log" in done.stderr
    assert not (tmp_path / "victim").exists()


@pytest.mark.parametrize("what", ["link", "fifo", "folder"])
def test_something_odd_in_place_of_a_breaker_record_is_said_once(tmp_path, what):
    """A link or a FIFO is replaced, a folder cannot be: then failed starts are not remembered. Either way it starts."""
    gate = tmp_path / "gate"
    gate.mkdir()
    if what == "link":
        (tmp_path / "elsewhere").write_text("x")
        (gate / "b-S").symlink_to(tmp_path / "elsewhere")
    elif what == "fifo":
        os.mkfifo(gate / "b-S")
    else:
        (gate / "b-S").mkdir()
    done = run("--gate-dir", str(gate), command=("/bin/sh", "-c", "echo started; exit 3"))
    assert done.returncode == 3 and done.stdout == "started\n", done
    said = [line for line in done.stderr.splitlines() if "b-S" in line]
    assert len(said) == 1, done.stderr
    if what == "folder":
        assert "failed starts are not remembered" in said[0] and "remove it" in said[0]
        assert (gate / "b-S").is_dir()
    else:
        assert "breaker starts anew" in said[0]
        assert not (gate / "b-S").is_symlink() and "failures_in_a_row=1\n" in (gate / "b-S").read_text()
    if what == "link":
        assert (tmp_path / "elsewhere").read_text() == "x"
