"""A Docker engine of our own: Debian's containerd and dockerd in folders of this test, reached over its socket.

containerd is a process of its own: with dockerd's managed one a `kill -9` of dockerd makes the next start fail. The CLI
that is installed may be of another version, so the API is called directly. No other engine is ever touched.
"""

import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from lib import proc
from lib.mounts import unmount

DOCKERD = "/usr/sbin/dockerd"
CONTAINERD = "/usr/bin/containerd"


def why_not() -> str | None:
    """Why no engine can be started here, or None."""
    if os.geteuid() != 0:
        return "dockerd takes root"
    for path in (DOCKERD, CONTAINERD):
        if not os.access(path, os.X_OK):
            return f"{path} is not installed (apt-get install docker.io)"
    if not shutil.which("runc"):
        return "runc is not installed"
    return None


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float):
        super().__init__("docker", timeout=timeout)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class ApiError(AssertionError):
    pass


class Engine:
    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="af-docker-", dir="/tmp"))
        self.socket = self.dir / "docker.sock"
        self.containerd_socket = self.dir / "containerd.sock"
        self._containerd: subprocess.Popen | None = None
        self._dockerd: subprocess.Popen | None = None
        self.daemon_json = self.dir / "daemon.json"
        self.daemon_json.write_text("{}")
        (self.dir / "containerd.toml").write_text(
            'version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n')

    # The daemons.
    def start(self, timeout: float = 60) -> None:
        """containerd, then dockerd; returns once the API answers."""
        log = (self.dir / "daemons.log").open("ab")
        with log:
            self._containerd = proc.start(
                [CONTAINERD, "--config", self.dir / "containerd.toml", "--address", self.containerd_socket,
                 "--root", self.dir / "containerd", "--state", self.dir / "containerd-state", "--log-level", "warn"],
                stdout=log, stderr=log)
            proc.until(self.containerd_socket.exists, 20, self.tail, every=0.02)
            self._dockerd = proc.start(
                [DOCKERD, "--containerd", self.containerd_socket, "--data-root", self.dir / "data", "--exec-root",
                 self.dir / "exec", "--pidfile", self.dir / "docker.pid", "-H", f"unix://{self.socket}",
                 "--config-file", self.daemon_json, "--storage-driver=overlay2", "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--bridge=none",
                 "--log-level=warn"],
                stdout=log, stderr=log)

        def answers():
            assert self._dockerd.poll() is None, f"dockerd ended: {self.tail()}"
            try:
                return self.api("GET", "/_ping", timeout=2, raw=True) == b"OK"
            except (OSError, http.client.HTTPException, ApiError):
                return False
        proc.until(answers, timeout, self.tail, every=0.02)

    def tail(self) -> str:
        try:
            return (self.dir / "daemons.log").read_text(errors="replace")[-3000:]
        except FileNotFoundError:
            return ""

    def processes(self) -> list[int]:
        """Daemons, shims and payloads, by what is on the shims' command lines."""
        mine = [daemon.pid for daemon in (self._dockerd, self._containerd) if daemon and daemon.poll() is None]
        shims = [pid for pid in proc.all_pids() if "containerd-shim" in " ".join(proc.cmdline(pid)[:1])
                 and str(self.containerd_socket) in proc.cmdline(pid)]
        for shim in shims:
            mine += [shim, *proc.descendants(shim)]
        return mine

    def kill_everything(self) -> None:
        """SIGKILL of dockerd, containerd, shims and payloads, as a power cut or an OOM killer gone wild leaves it."""
        end = time.monotonic() + 20
        while pids := [pid for pid in self.processes() if proc.is_running(pid)]:
            for pid in pids:
                proc.kill(pid)
            for daemon in (self._dockerd, self._containerd):
                if daemon:
                    daemon.poll()
            proc.reap_orphans()
            assert time.monotonic() < end, f"they survive SIGKILL: {[(pid, proc.comm(pid)) for pid in pids]}"
            time.sleep(0.01)
        # A number that somebody else has got by now would keep dockerd 20.10 from starting.
        (self.dir / "docker.pid").unlink(missing_ok=True)

    def close(self) -> None:
        self.kill_everything()
        proc.sweep()
        for line in reversed(pathlib.Path("/proc/self/mounts").read_text().splitlines()):
            where = line.split()[1]
            if where.startswith(str(self.dir) + "/"):
                unmount(pathlib.Path(where))
        for controller in pathlib.Path("/sys/fs/cgroup").glob("*/docker"):
            for group in controller.iterdir():
                if group.is_dir() and group.name in self._known_ids():
                    try:
                        group.rmdir()
                    except OSError:
                        pass
        shutil.rmtree(self.dir, ignore_errors=True)

    def _known_ids(self) -> set[str]:
        folder = self.dir / "data" / "containers"
        return {path.name for path in folder.iterdir()} if folder.is_dir() else set()

    # The API.
    def api(self, method: str, path: str, body=None, timeout: float = 60, raw: bool = False, content: str = "application/json"):
        connection = _UnixConnection(str(self.socket), timeout)
        try:
            data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
            connection.request(method, path, data, {"Content-Type": content} if data is not None else {})
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        if answer.status >= 400:
            raise ApiError(f"{method} {path}: {answer.status} {text.decode(errors='replace')}")
        if raw:
            return text
        return json.loads(text) if text.strip() else None

    def import_image(self, name: str, tar: pathlib.Path) -> None:
        answer = self.api("POST", f"/images/create?fromSrc=-&repo={name}&tag=latest", tar.read_bytes(), raw=True,
                          content="application/x-tar", timeout=120)
        assert b"errorDetail" not in answer, answer

    def create(self, name: str, image: str, command: list[str], env: dict | None = None, user: str = "", **host) -> str:
        """A container on the host's network. `host` goes into HostConfig as it is."""
        body = {"Image": image, "Entrypoint": command, "Cmd": None, "User": user, "StopTimeout": 10,
                "Env": [f"{key}={value}" for key, value in (env or {}).items()],
                "HostConfig": {"NetworkMode": "host", **host}}
        return self.api("POST", f"/containers/create?name={name}", body)["Id"]

    def start_container(self, name: str) -> None:
        self.api("POST", f"/containers/{name}/start", timeout=60)

    def state(self, name: str) -> dict:
        return self.api("GET", f"/containers/{name}/json")

    def wait_exit(self, name: str, timeout: float = 20) -> int:
        """Exit code once the container has stopped."""
        def look():
            state = self.state(name)["State"]
            return state if state["Status"] in ("exited", "dead") else None
        return proc.until(look, timeout, lambda: f"{name} exits; {self.logs(name)}", every=0.02)["ExitCode"]

    def logs(self, name: str) -> str:
        raw = self.api("GET", f"/containers/{name}/logs?stdout=1&stderr=1", raw=True)
        text, at = b"", 0
        while at + 8 <= len(raw):  # frames of 8 bytes head and a body
            size = int.from_bytes(raw[at + 4:at + 8], "big")
            text += raw[at + 8:at + 8 + size]
            at += 8 + size
        return text.decode(errors="replace")

    def remove_all(self) -> None:
        for container in self.api("GET", "/containers/json?all=1"):
            try:
                self.api("DELETE", f"/containers/{container['Id']}?force=1", timeout=30)
            except ApiError:
                pass
