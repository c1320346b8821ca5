"""Decides whether a round kept the promise. Looks at what engines and gate wrote down, never at the gate's own state."""

import os

from lib.journal import NEVER, Attempt, GateLog

MS = 1_000_000
PRIORITY_STEP_NS = 60_000 * MS


class Violation(AssertionError):
    """The gate broke its promise. Nothing else raises this, so that mutants can be told from accidents."""


def _name(attempt: Attempt) -> str:
    return f"{attempt.service} (pid {attempt.pid}, gpu {attempt.gpu})"


def check_windows(attempts: list[Attempt], settle_ns: int, same_domain=lambda a, b: True) -> None:
    """[first device touch … ready + settle] of any two of one domain are disjoint; who dies ends its window by dying."""
    for index, earlier in enumerate(attempts):
        end = earlier.end(settle_ns)
        for later in attempts[index + 1:]:
            if later.touch >= end or not same_domain(earlier, later) or _same_start(earlier, later):
                continue
            shown = "still starting" if end >= NEVER else f"{(end - later.touch) / MS:.1f} ms before its window ended"
            raise Violation(f"{_name(later)} touched the device while {_name(earlier)} was in its window ({shown})")


def _same_start(a: Attempt, b: Attempt) -> bool:
    """Tensor-parallel workers of one start."""
    return a.service == b.service and a.pidns == b.pidns and a.gpu != b.gpu


def check_order(log: GateLog, gather_ns: int, conflict=lambda a, b: True) -> None:
    """Nobody was granted before its gather window was over, or past somebody with a better place who was waiting."""
    queued: dict[tuple, dict] = {}
    waiting: list[tuple[int, dict, int, int]] = []  # key, line, arrival, granted or NEVER
    for line in log.lines:
        who = (line["service"], line["pid"])
        if line["state"] == "queued":
            queued.setdefault(who, line)
        elif line["state"] in ("granted", "exited", "held") and who in queued:
            first = queued.pop(who)
            granted = line["boottime_ns"] if line["state"] == "granted" else NEVER
            waiting.append((key_of(first), first, arrival_of(first), granted, line["boottime_ns"]))
    for key, line, arrival, granted, _ in waiting:
        if granted == NEVER:
            continue
        if granted < arrival + gather_ns:
            raise Violation(f"{line['service']} was granted {(granted - arrival) / MS:.1f} ms after arrival, "
                            f"inside its gather window of {gather_ns / MS:.0f} ms")
        for other_key, other, other_arrival, other_granted, other_left in waiting:
            passed = other_key < key and other_granted > granted and other_left > granted
            # The log line follows the decision; on a busy machine somebody may arrive in between.
            if passed and other_arrival < granted - 20 * MS and conflict(line, other):
                raise Violation(f"{line['service']} was granted before {other['service']}, who came first in the queue")


def key_of(queued: dict) -> int:
    """Place in the queue by the ticket's own name, which the log carries."""
    return int(queued["ticket"].split("-")[1], 16)


def arrival_of(queued: dict) -> int:
    """CLOCK_BOOTTIME ns at which the ticket was published: its key says so exactly, the log line is written later."""
    key = key_of(queued) - (1 << 60)
    priority = round((queued["boottime_ns"] - key) / PRIORITY_STEP_NS)
    return key + priority * PRIORITY_STEP_NS


def check_priorities(log: GateLog, priorities: dict[str, int], within_ns: int) -> None:
    """Of two that arrived within the gather window of each other, the one with the higher priority was granted first."""
    arrival = {line["service"]: arrival_of(line) for line in reversed(log.lines) if line["state"] == "queued"}
    grants = [line["service"] for line in log.grants()]
    for index, first in enumerate(grants):
        for second in grants[index + 1:]:
            better = priorities[second] > priorities[first]
            if better and arrival[second] - arrival[first] < within_ns - MS:
                raise Violation(f"{first} (priority {priorities[first]}) was granted before {second} "
                                f"(priority {priorities[second]}), {grants}")


def check_kv(attempts: list[Attempt], expected: dict[str, int]) -> None:
    """KV caches as in a start without neighbours: to the byte but for what rounding of GiB costs."""
    for service, bytes_alone in expected.items():
        mine = [attempt for attempt in attempts if attempt.service == service and attempt.kv is not None]
        if not mine:
            raise Violation(f"{service} never sized its cache")
        if abs(mine[-1].kv - bytes_alone) > 4096:
            raise Violation(f"{service} has a KV cache of {mine[-1].kv / 2**30:.3f} GiB, alone it would have "
                            f"{bytes_alone / 2**30:.3f} GiB")


def check_no_failures(attempts: list[Attempt]) -> None:
    for attempt in attempts:
        if attempt.failure is not None:
            raise Violation(f"{_name(attempt)} failed with signature {attempt.failure}")


def total_bound(log: GateLog, attempts: list[Attempt], settle_ns: int, gather_ns: int,
                slack_ns: int = 1000 * MS) -> tuple[int, int]:
    """(whole time from first arrival to last ready, Σ(start + settle) + gather + slack), both ns."""
    begin = min(line["boottime_ns"] for line in log.lines if line["state"] == "queued")
    finish = max(line["boottime_ns"] for line in log.lines if line["state"] == "ready")
    allowed = gather_ns + slack_ns
    for service in {attempt.service for attempt in attempts}:
        starting, settling = log.first(service, "starting"), log.first(service, "settling")
        allowed += settling["boottime_ns"] - starting["boottime_ns"] + settle_ns
    return finish - begin, allowed


def check_total(log: GateLog, attempts: list[Attempt], settle_ns: int, gather_ns: int) -> float:
    """Total time is no more than the sum of its parts, the gather window and a second. Returns the whole time in s.

    On a machine where more is runnable than there are processors every hand-over waits for one: the second grows with it.
    """
    crowd = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    whole, allowed = total_bound(log, attempts, settle_ns, gather_ns, round(1000 * MS * crowd))
    if whole > allowed:
        raise Violation(f"all ready after {whole / 1e9:.2f} s, allowed are {allowed / 1e9:.2f} s")
    return whole / 1e9
