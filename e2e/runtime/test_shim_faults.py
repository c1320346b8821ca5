"""Faults on a real dockerd: every container stays startable, or one named command repairs it; dockerd always starts."""

import json
import os
import pathlib
import subprocess
import threading
import time

import pytest

from conftest import GPU_ENV
from lib import proc
from lib.fusefs import FuseMount
from lib.mounts import tmpfs

FILE = '{\n  "max-concurrent-downloads": 3,\n  "n" : [ 1,2 ]\n}\n'.replace('  "n" : [ 1,2 ]\n', '  "shutdown-timeout" :15\n')


def cli(engine, verb: str, *words: str, code: int | None = 0, program=None) -> subprocess.CompletedProcess:
    argv = [program or proc.program("antifreeze"), "runtime", verb, "--daemon-json", engine.daemon_json, "--runtime-dir",
            engine.shim_dir, "--docker-root", engine.dir / "data", "--docker-pidfile", engine.dir / "docker.pid", *words]
    done = subprocess.run([str(word) for word in argv], capture_output=True, text=True, timeout=60, check=False)
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done


def found(engine) -> set[str]:
    done = cli(engine, "status", "--json", code=None)
    return {one["id"] for one in json.loads(done.stdout)["findings"]}


def restart(engine) -> None:
    engine.kill_everything()
    engine.start()


def starts(engine, name: str) -> bool:
    """Whether the container runs after `docker restart`."""
    try:
        engine.api("POST", f"/containers/{name}/restart?t=1")
    except AssertionError as why:
        print(why)
        return False
    return engine.state(name)["State"]["Running"]


def is_gated(engine, name: str) -> bool:
    words = proc.cmdline(engine.state(name)["State"]["Pid"])
    return any(word.endswith("/antifreeze-run") for word in words)


@pytest.fixture
def host(engine, image, site):
    """One gated server that runs; whatever a test breaks is mended behind it."""
    made = site({})
    made.server("one", image("scratch"), policy="no")
    engine.start_container("one")
    assert is_gated(engine, "one")
    yield made
    engine.install_by_hand()
    (engine.shim_dir / "pass-through").unlink(missing_ok=True)
    restart(engine)


def break_missing(shim: pathlib.Path) -> None:
    shim.unlink()


def break_mode(shim: pathlib.Path) -> None:
    shim.chmod(0o644)


def break_crash(shim: pathlib.Path) -> None:
    shim.unlink()
    shim.write_text("#!/bin/sh\nkill -SEGV $$\n")
    shim.chmod(0o755)


def break_empty(shim: pathlib.Path) -> None:
    shim.unlink()
    shim.write_bytes(b"")
    shim.chmod(0o755)


@pytest.mark.parametrize("fault", [break_missing, break_mode, break_crash, break_empty])
def test_a_broken_copy_is_reported_and_one_command_repairs_it(engine, host, fault):
    cli(engine, "install", "--gate-dir", host.gate_dir)
    fault(engine.shim_dir / "antifreeze-runtime")
    restart(engine)  # dockerd starts all the same
    assert not starts(engine, "one")
    assert any(one.startswith("runtime_copy_") for one in found(engine))
    cli(engine, "install", "--gate-dir", host.gate_dir)
    assert found(engine) == set()
    assert starts(engine, "one") and is_gated(engine, "one")


@pytest.mark.parametrize("break_it", ["no antifreeze-run", "no gate", "no gate.id", "bad toml", "config is a folder"])
def test_what_the_shim_cannot_use_leaves_the_container_as_it_was(engine, host, break_it):
    toml = pathlib.Path(engine.settings["config"])
    if break_it == "no antifreeze-run":
        (engine.shim_dir / "antifreeze-run").unlink()
    elif break_it == "no gate":
        engine.configure(**{"gate-dir": host.dir / "nowhere"})
    elif break_it == "no gate.id":
        (host.gate_dir / "gate.id").unlink()
    elif break_it == "bad toml":
        toml.write_text("[gate\norder = ")
    else:
        toml.unlink()
        toml.mkdir()
    assert starts(engine, "one")
    last = engine.log()[-1]
    if "toml" in break_it or "config" in break_it:  # priorities are lost, the gate is not
        assert is_gated(engine, "one") and "priorities are not read" in last["remark"]
    else:
        assert not is_gated(engine, "one") and last["failed"] and not last["gated"]
    if toml.is_dir():
        toml.rmdir()
    status = cli(engine, "status", "--json", code=None)
    assert json.loads(status.stdout)["remarks"]


class HungMount(FuseMount):
    """Never answers a lookup."""

    def __init__(self, path):
        super().__init__(path)
        self.go_on = threading.Event()

    def _answer(self, opcode: int):
        if opcode == 1 and not self.go_on.is_set():
            self.go_on.wait(30)
        return super()._answer(opcode)

    def __exit__(self, *words):
        self.go_on.set()
        super().__exit__(*words)


def test_a_shim_that_hangs_is_bounded(engine, host, tmp_path):
    """Its child sits in the kernel, where not even SIGKILL reaches it; nobody waits for that."""
    if not os.path.exists("/dev/fuse"):
        pytest.skip("there is no /dev/fuse")
    with HungMount(tmp_path):
        engine.configure(config=tmp_path / "antifreeze.toml")
        engine.api("POST", "/containers/one/stop?t=1")
        begin = time.monotonic()
        engine.start_container("one")
        took = time.monotonic() - begin
    engine.configure(config=engine.dir / "antifreeze.toml")
    assert engine.state("one")["State"]["Running"] and not is_gated(engine, "one")
    assert took < 5, took
    assert "longer than 1000 ms" in engine.log()[-1]["reason"]


def test_a_lost_and_a_rewritten_entry_are_reported_and_repaired(engine, host):
    cli(engine, "install", "--gate-dir", host.gate_dir)
    assert found(engine) == set()
    for text, what in (("{}", "runtime_entry_lost"),
                       ('{"runtimes": {"antifreeze": {"path": "runc"}, "nvidia": {"path": "runc"}}}', "runtime_entry_rewritten")):
        engine.daemon_json.write_text(text)
        assert what in found(engine)
        restart(engine)  # the engine is up whatever became of the entry
        cli(engine, "install", "--gate-dir", host.gate_dir)
        assert found(engine) == set()
        proc.until(lambda: starts(engine, "one"), 10, engine.tail)
        assert is_gated(engine, "one")
    assert "nvidia" in json.loads(engine.daemon_json.read_text())["runtimes"]


def test_removed_while_a_container_names_it_and_for_good_afterwards(engine, host):
    """What the package's own steps do when it is removed and purged."""
    engine.daemon_json.write_text(FILE)
    cli(engine, "install", "--gate-dir", host.gate_dir)
    done = cli(engine, "remove", code=1)
    assert "one" in done.stderr and "antifreeze" in json.loads(engine.daemon_json.read_text())["runtimes"]
    restart(engine)
    assert starts(engine, "one") and not is_gated(engine, "one")
    engine.api("DELETE", "/containers/one?force=1")
    cli(engine, "remove")
    assert engine.daemon_json.read_text() == FILE
    assert not engine.shim_dir.exists()
    restart(engine)
    engine.shim_dir.mkdir()


def test_another_version_of_the_package(engine, host, tmp_path):
    """Up or down: the copy is renewed by the package's step, and until then the old one works."""
    cli(engine, "install", "--gate-dir", host.gate_dir)
    for name in ("antifreeze", "antifreeze-run", "antifreeze-runtime"):
        (tmp_path / name).write_bytes(proc.program(name).read_bytes() if isinstance(proc.program(name), pathlib.Path)
                                      else pathlib.Path(proc.program(name)).read_bytes())
        (tmp_path / name).chmod(0o755)
    with (tmp_path / "antifreeze-runtime").open("ab") as other:
        other.write(b"another version")
    other_cli = tmp_path / "antifreeze"
    status = cli(engine, "status", "--json", code=1, program=other_cli)
    assert "runtime_copy_differs" in status.stdout
    assert starts(engine, "one") and is_gated(engine, "one")
    before = engine.daemon_json.read_bytes()
    cli(engine, "install", "--only-copies", program=other_cli)
    assert cli(engine, "status", "--json", program=other_cli).returncode == 0
    assert engine.daemon_json.read_bytes() == before
    assert starts(engine, "one") and is_gated(engine, "one")


@pytest.mark.parametrize("size", ["64k", "1800k"])
def test_a_full_disk_at_install_changes_nothing(engine, host, tmp_path, size):
    engine.daemon_json.write_text(FILE)
    with tmpfs(tmp_path, f"size={size}"):
        done = cli(engine, "install", "--runtime-dir", tmp_path / "rt", code=73)
        assert engine.daemon_json.read_text() == FILE, done.stderr
        assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".")]
    restart(engine)


def test_daemon_json_on_a_full_disk_stays_as_it_was(engine, host, tmp_path):
    with tmpfs(tmp_path, "size=64k"):
        (tmp_path / "daemon.json").write_text(FILE)
        (tmp_path / "filler").write_bytes(b"x" * (60 << 10))
        cli(engine, "install", "--daemon-json", tmp_path / "daemon.json", "--runtime-dir", engine.dir / "other-rt", code=73)
        assert (tmp_path / "daemon.json").read_text() == FILE


def test_runtimes_on_dockerds_command_line_are_refused(engine, host):
    """dockerd does not start with runtimes both there and in the file."""
    engine.daemon_json.write_text(FILE)
    dry = cli(engine, "install", "--dry-run")
    assert "+" in dry.stdout and "would write" in dry.stdout and engine.daemon_json.read_text() == FILE
    program = engine.dir / "dockerd"  # the kernel's name for it is what counts
    program.write_text("#!/bin/sh\nread forever\n")
    program.chmod(0o755)
    with subprocess.Popen([program, "--add-runtime", "x=/bin/true"], stdin=subprocess.PIPE) as process:
        pidfile = engine.dir / "other.pid"
        pidfile.write_text(str(process.pid))
        proc.until(lambda: proc.comm(process.pid) == "dockerd", 5, "the stand-in")
        done = cli(engine, "install", "--docker-pidfile", pidfile, code=69)
        process.stdin.close()
    assert "--add-runtime" in done.stderr
    assert engine.daemon_json.read_text() == FILE


def test_the_nvidia_flavour_and_dockers_own_init(engine, image, site):
    host = site({})
    host.server("nv", image("scratch"), runtime="antifreeze-nvidia", policy="no", Init=True)
    engine.start_container("nv")
    calls = engine.nvidia_calls.read_text()
    assert " create " in f" {calls} " and "--bundle" in calls
    first = engine.state("nv")["State"]["Pid"]
    assert "docker-init" in proc.cmdline(first)[0]
    host.until_ready(["nv"])
    assert [line["service"] for line in host.log().grants()] == ["nv"]


def test_only_gpu_engines_are_gated_unless_told_otherwise(engine, image, site):
    host = site({})
    for name, env, gated in (("gpu", {}, True), ("no-gpu", {"NVIDIA_VISIBLE_DEVICES": "void"}, False),
                             ("out", {"ANTIFREEZE": "0"}, False),
                             ("in", {"NVIDIA_VISIBLE_DEVICES": "", "ANTIFREEZE": "1"}, True)):
        host.server(name, image("scratch"), policy="no", env={**GPU_ENV, **env})
        engine.start_container(name)
        assert is_gated(engine, name) == gated, name
        engine.api("DELETE", f"/containers/{name}?force=1")


def test_a_priority_that_the_container_claims_is_ignored_and_reported(engine, image, site):
    host = site({"claims": -3})
    host.server("claims", image("scratch"), policy="no", env={"ANTIFREEZE_PRIORITY": "10"})
    engine.start_container("claims")
    last = engine.log()[-1]
    assert last["priority"] == -3 and "ANTIFREEZE_PRIORITY=10 of the container is ignored" in last["remark"]
    host.until_ready(["claims"])
    remarks = json.loads(cli(engine, "status", "--json", code=None).stdout)["remarks"]
    assert any("ANTIFREEZE_PRIORITY=10" in remark for remark in remarks)


@pytest.mark.parametrize("options", [{"ReadonlyRootfs": True}, {"Tmpfs": {"/run": "size=1m"}}, {"ReadonlyRootfs": True, "CapDrop": ["ALL"],
                                     "SecurityOpt": ["no-new-privileges"]}], ids=str)
def test_every_kind_of_container_starts_behind_the_gate(engine, image, site, options):
    host = site({})
    host.server("kind", image("scratch"), policy="no", **options)
    engine.start_container("kind")
    host.until_ready(["kind"])
    assert is_gated(engine, "kind")


def test_a_host_folder_at_run_is_not_littered(engine, image, site, tmp_path):
    host = site({})
    host.binds = lambda: [f"{host.gpu_dir}:/gpu", f"{tmp_path}:/run:ro"]
    host.server("bound", image("scratch"), policy="no")
    engine.start_container("bound")
    host.until_ready(["bound"])
    assert list(tmp_path.iterdir()) == []
