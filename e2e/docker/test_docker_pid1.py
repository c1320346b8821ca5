"""As PID 1 of containers from an empty, a musl and a Debian image (S15–S18): codes, signals, orphans, users, read-only roots."""

import shutil
import signal
import time

import pytest

import rootfs
from lib import oracle, proc
from lib.mounts import ofd_lock

WITH_PROBE = ["musl", "debian"]


@pytest.fixture
def probe(run_container):
    def run(kind: str, *words: str, **options) -> str:
        return run_container(kind, rootfs.probe_path(kind), *words, **options)
    return run


@pytest.mark.parametrize("kind", WITH_PROBE)
@pytest.mark.parametrize("code", [0, 3, 125, 255])
def test_exit_codes(engine, probe, kind, code):
    assert engine.wait_exit(probe(kind, "exit", str(code))) == code


@pytest.mark.parametrize("kind", WITH_PROBE)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_signal_deaths(engine, probe, kind, number):
    assert engine.wait_exit(probe(kind, "die", str(int(number)))) == 128 + number


@pytest.mark.parametrize("kind", ["scratch", *WITH_PROBE])
def test_not_found_and_not_executable(engine, run_container, kind):
    assert engine.wait_exit(run_container(kind, "/no/such/program")) == 127
    assert engine.wait_exit(run_container(kind, "no-such-program")) == 127
    assert engine.wait_exit(run_container(kind, "/proc/version")) == 126


@pytest.mark.parametrize("kind", WITH_PROBE)
@pytest.mark.parametrize("init", [False, True], ids=["pid1", "--init"])
def test_docker_stop_is_term_and_the_commands_code(engine, probe, kind, init):
    if init:
        need_docker_init()
    name = probe(kind, "term", "7", Init=init)
    proc.until(lambda: "up" in engine.logs(name), 10, lambda: engine.logs(name), every=0.02)
    begin = time.monotonic()
    engine.api("POST", f"/containers/{name}/stop?t=10")
    assert time.monotonic() - begin < 5, "docker stop ran into its grace"
    assert engine.wait_exit(name) == 7


def need_docker_init() -> None:
    if not shutil.which("docker-init"):
        pytest.skip("docker-init is not installed (package tini provides it with docker.io)")


@pytest.mark.parametrize("kind", WITH_PROBE)
def test_zombies_are_reaped(engine, probe, kind):
    name = probe(kind, "orphans", "100")
    proc.until(lambda: "made" in engine.logs(name), 20, lambda: engine.logs(name), every=0.02)
    first = engine.state(name)["State"]["Pid"]

    def zombies():
        return [pid for pid in proc.descendants(first) if (proc.stat_fields(pid) or ["?"])[0] == "Z"]
    proc.until(lambda: not zombies(), 5, lambda: f"zombies stay: {zombies()}")


@pytest.mark.parametrize("kind", WITH_PROBE)
def test_a_child_in_its_own_session_is_ended(engine, probe, kind):
    begin = time.monotonic()
    assert engine.wait_exit(probe(kind, "deaf")) == 4
    assert 4.5 < time.monotonic() - begin < 12


@pytest.mark.parametrize("kind", WITH_PROBE)
def test_no_descriptor_of_the_gate_is_passed_on(engine, probe, kind):
    name = probe(kind, "fds")
    assert engine.wait_exit(name) == 0
    assert "/gate" not in engine.logs(name)


@pytest.mark.parametrize("kind", ["scratch", *WITH_PROBE])
def test_stopped_while_queued(engine, run_container, tmp_path, kind):
    """143 within a second, and nothing was started."""
    gate = tmp_path / "gate"
    gate.mkdir()
    gate.chmod(0o1777)
    (gate / "registry").write_text("")
    (gate / "registry").chmod(0o666)
    garbage = gate / f"t-{(1 << 60) + time.clock_gettime_ns(time.CLOCK_BOOTTIME):016x}-0000000a"
    garbage.write_bytes(b"x" * 4096)
    with ofd_lock(garbage):
        name = run_container(kind, "/fakevllm", "serve", "x", gate=gate)
        proc.until(lambda: "queued" in engine.logs(name), 10, lambda: engine.logs(name), every=0.02)
        begin = time.monotonic()
        engine.api("POST", f"/containers/{name}/stop?t=10")
        assert time.monotonic() - begin < 2.0
        assert engine.wait_exit(name) == 143
        assert "starting" not in engine.logs(name)


def test_an_unprivileged_user_without_capabilities_in_a_read_only_root(engine, image, site):
    host = site()
    for path in [host.gpu_dir, *host.gpu_dir.iterdir()]:
        path.chmod(0o777)
    options = {"CapDrop": ["ALL"], "ReadonlyRootfs": True, "SecurityOpt": ["no-new-privileges"]}
    host.server("root", image("scratch"), priority=2)
    name = host.server("user", image("scratch"), priority=1, **options)
    body = engine.state(name)
    engine.api("DELETE", f"/containers/{name}?force=1")
    env = dict(entry.split("=", 1) for entry in body["Config"]["Env"])
    engine.create(name, "scratch", body["Config"]["Entrypoint"], env, "1000:1000", Binds=host.binds(), **options)
    host.server("last", image("scratch"), priority=0)
    for each in ("root", "user", "last"):
        engine.start_container(each)
    host.until_ready(["root", "user", "last"])
    oracle.check_windows(host.attempts(), 200_000_000)
    oracle.check_no_failures(host.attempts())
    assert "own socket" in host.log().first("user", "settling")["reason"]


def test_an_empty_directory_in_place_of_the_hosts_gate_is_refused(engine, image, tmp_path):
    """dockerd makes one where the mount is missing: two gates would exist."""
    name = "no-gate"
    engine.create(name, image("scratch"), ["/antifreeze-run", "--", "/fakevllm", "device", "show"], {"ANTIFREEZE_SHARED": "1"},
                  Binds=[f"{tmp_path}/none:/run/antifreeze/gate"])
    engine.start_container(name)
    try:
        assert engine.wait_exit(name) == 125
        assert "gate.id" in engine.logs(name)
    finally:
        engine.remove_all()


def test_a_read_only_mount_of_the_gate_is_refused_and_can_be_overruled(engine, image, site):
    host = site()
    for name, policy, code in (("closed", "fail", 125), ("open", "proceed", 0)):
        engine.create(name, image("scratch"), ["/antifreeze-run", "--", "/fakevllm", "device", "show", "--dir", "/gpu"],
                      host.env(ANTIFREEZE_ON_GATE_ERROR=policy),
                      Binds=[f"{host.gate_dir}:/run/antifreeze/gate:ro", f"{host.gpu_dir}:/gpu"])
        engine.start_container(name)
        assert engine.wait_exit(name) == code, engine.logs(name)


def test_own_network_and_pid_namespaces_do_not_matter(engine, image, site):
    """A container without the host's network: the listening socket is looked for where the server is."""
    host = site()
    host.server("a1", image("scratch"), NetworkMode="none")
    host.server("b1", image("scratch"), priority=-1)
    for name in ("a1", "b1"):
        engine.start_container(name)
    host.until_ready(["a1", "b1"])
    assert "own socket" in host.log().first("a1", "settling")["reason"]
    oracle.check_windows(host.attempts(), 200_000_000)
