"""Reads what the simulated engines and the gate wrote down: fakevllm's journal.jsonl and the gate's log.jsonl."""

import json
import pathlib
from dataclasses import dataclass, field

NEVER = 1 << 63


def read_lines(path: pathlib.Path) -> list[dict]:
    """Complete lines only: the last one may be half written."""
    try:
        text = path.read_text()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]


@dataclass
class Attempt:
    """One engine process (or tensor-parallel worker) from its first device touch on. Times: CLOCK_MONOTONIC ns."""

    service: str
    gpu: int
    pid: int
    pidns: int
    touch: int
    phases: list[str] = field(default_factory=list)
    ready: int | None = None
    settled: int | None = None
    gone: int | None = None  # it left, or the first moment at which the device saw that it is dead
    kv: int | None = None
    failure: str | None = None

    def end(self, settle_ns: int) -> int:
        """When the next may touch the device: after ready and settle, or once this one is gone."""
        ready = NEVER if self.ready is None else max(self.ready + settle_ns, self.settled or 0)
        return min(ready, NEVER if self.gone is None else self.gone)


def attempts(lines: list[dict]) -> list[Attempt]:
    """Engines in the order of their first touches."""
    found: list[Attempt] = []
    live: dict[tuple, Attempt] = {}
    for line in lines:
        key = (line["pidns"], line["pid"], line.get("gpu", 0))
        phase = line["phase"]
        if phase == "freed":
            dead = live.pop((line["dead_pidns"], line["dead_pid"], line.get("gpu", 0)), None)
            if dead:
                dead.gone = line["mono_ns"]
            continue
        if line["role"] not in ("engine", "worker"):
            if line["role"] == "parent" and phase == "serve":
                _mark_ready(live, line)
            continue
        if phase == "init_device":
            live[key] = Attempt(line["svc"], line["gpu"], line["pid"], line["pidns"], line["mono_ns"])
            found.append(live[key])
        attempt = live.get(key)
        if attempt is None:
            continue
        attempt.phases.append(phase)
        if phase == "size":
            attempt.kv = line["kv"]
        elif phase == "fail":
            attempt.failure = line["id"]
        elif phase == "settled":
            attempt.settled = line["mono_ns"]
        elif phase == "exit":
            attempt.gone = line["mono_ns"]
            del live[key]
    return found


def _mark_ready(live: dict[tuple, Attempt], line: dict) -> None:
    for attempt in live.values():
        if attempt.service == line["svc"] and attempt.pidns == line["pidns"] and attempt.ready is None:
            attempt.ready = line["mono_ns"]


class GateLog:
    """The gate's transitions, oldest first."""

    def __init__(self, gate_dir: pathlib.Path):
        self.lines = read_lines(gate_dir / "log.1.jsonl") + read_lines(gate_dir / "log.jsonl")

    def of(self, service: str) -> list[dict]:
        return [line for line in self.lines if line["service"] == service]

    def states(self, service: str) -> list[str]:
        """Without repetitions of one state."""
        states: list[str] = []
        for line in self.of(service):
            if not states or states[-1] != line["state"]:
                states.append(line["state"])
        return states

    def first(self, service: str, state: str) -> dict | None:
        return next((line for line in self.of(service) if line["state"] == state), None)

    def last(self, service: str, state: str) -> dict | None:
        return next((line for line in reversed(self.of(service)) if line["state"] == state), None)

    def grants(self) -> list[dict]:
        return [line for line in self.lines if line["state"] == "granted"]
