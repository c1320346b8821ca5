"""Watches from outside, as a person with ps and curl would: knows nothing of gate, journal or ledger.

Whenever a server's process appears, every other server that was started must have answered healthy, or be gone.
"""

import threading
import time

from lib import http, proc


class Observer:
    """Context manager. `ports` maps a server's name, as it stands behind --fake-svc on its command line, to its port."""

    def __init__(self, ports: dict[str, int], every: float = 0.004):
        self._ports = ports
        self._every = every
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._seen: set[tuple[int, int]] = set()
        self._starting: dict[tuple[str, int, int], int] = {}  # not seen healthy yet, with the port
        self.started: list[tuple[str, int, int]] = []  # name, pid, start time, in the order of appearance
        self.overlaps: list[str] = []

    def __enter__(self):
        self._scan()
        self._starting.clear()  # what ran before is none of its business
        self.started.clear()
        self.overlaps.clear()
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join(10)
        assert not self._thread.is_alive(), "the observer hangs"

    def check(self) -> None:
        """Raises when two were starting at once, or when nothing was seen at all."""
        assert self.started, "the observer saw no server start"
        assert not self.overlaps, "; ".join(self.overlaps)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._look_at_health()
            self._scan()
            time.sleep(self._every)

    def _scan(self) -> None:
        for pid in proc.all_pids():
            born = proc.start_time(pid)
            if born is None or (pid, born) in self._seen:
                continue
            name = self._server_name(pid)
            if name is None:
                continue
            self._seen.add((pid, born))
            if name:
                self._on_start(name, pid, born)

    def _server_name(self, pid: int) -> str | None:
        """Name of the server that this process is the parent of, "" for others, None while it may still exec."""
        words = proc.cmdline(pid)
        if not words:
            return ""
        if words[0].rsplit("/", 1)[-1] not in ("fakevllm", "vllm"):
            # Wrappers and shims exec or fork into servers: look again.
            return None if "--fake-svc" in words else ""
        if "--fake-svc" not in words or proc.comm(pid).startswith("VLLM::"):
            return ""
        fields = proc.stat_fields(pid)
        parent = proc.cmdline(int(fields[1])) if fields else []
        if parent and parent == words:
            return ""  # forked from the server itself
        name = words[words.index("--fake-svc") + 1]
        # Others may run tests on this machine too: only ours has this name and that port.
        ours = "--port" in words and words[words.index("--port") + 1] == str(self._ports.get(name))
        return name if ours else ""

    def _look_at_health(self) -> None:
        for who, port in list(self._starting.items()):
            _, pid, born = who
            if http.healthy(port) or not proc.is_running(pid) or proc.start_time(pid) != born:
                del self._starting[who]

    def _on_start(self, name: str, pid: int, born: int) -> None:
        self._look_at_health()
        for other, other_pid, _ in self._starting:
            self.overlaps.append(f"{name} (pid {pid}) was started while {other} (pid {other_pid}) was not healthy")
        self.started.append((name, pid, born))
        self._starting[name, pid, born] = self._ports[name]
