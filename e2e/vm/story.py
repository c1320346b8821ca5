"""A story: boots of one machine in a row, each with what is done to it. Every boot finds the end of the one before it and captures it."""

import dataclasses
import pathlib
import shlex
import time
from collections.abc import Callable

import capture
from machine import Boot, Machine


@dataclasses.dataclass
class Act:
    """One boot. `do` acts on the machine and returns when its end is certain."""

    name: str  # folder in testdata/boots; empty: its end is only history of later boots
    what: str
    ending: str
    do: Callable[[Machine], None]
    causes: list[str] = dataclasses.field(default_factory=list)  # first causes that count as right
    accept: list[str] = dataclasses.field(default_factory=list)  # endings that count as right beside `ending`
    synthetic: str = "none"
    notes: list[str] = dataclasses.field(default_factory=list)  # what should be noticed beside the ending
    boot: Boot = dataclasses.field(default_factory=Boot)
    after: Boot | None = None  # how the machine is powered on for the next boot, where that differs
    reboots: bool = False  # the machine comes up again by itself
    blind: bool = False  # ends before there is a shell
    captured_by_kdump: bool = False
    still_running: bool = False  # captured while it runs


def kernel(machine: Machine, *lines: str, pause: float = 0) -> None:
    """Lines that the test module prints through printk, as a driver would."""
    for line in lines:
        machine.run("k " + shlex.quote(line))
        if pause:
            time.sleep(pause)


def let_write(machine: Machine, seconds: float = 6) -> None:
    """Time for journald's sync interval and the page cache: of the machine's own clock, whatever its prompts say."""
    machine.send(f"sleep {seconds:g}; echo slept-$((6 * 7))")
    machine.wait(r"slept-42\s", seconds + 60)
    machine.run("true")


def cut(machine: Machine) -> None:
    machine.cut()


def reset(machine: Machine) -> None:
    machine.monitor("system_reset")


def power_off(machine: Machine) -> None:
    machine.send("systemctl poweroff")
    machine.off(150)


def _row(act: Act, boot_id: str | None) -> dict:
    return {"boot_id": boot_id, "ending_id": act.ending, "accept": [act.ending, *act.accept], "causes": act.causes}


def _label(act: Act, boot_id: str | None, rows: list[dict], now: str, listed: dict[str, str]) -> dict:
    known = {row["boot_id"] for row in rows}
    if now not in known:
        rows = rows + [{"boot_id": now, "ending_id": "running", "accept": ["running"], "causes": []}]
    strangers = [] if not act.captured_by_kdump else [i for i in listed if i not in known and i != now]
    label = {"case": act.name, **_row(act, boot_id), "detail": act.what, "synthetic_parts": act.synthetic, "notes": act.notes,
             "sync_interval_s": act.boot.sync or 300, "in_journal": boot_id in listed,
             "boots": rows + [{"boot_id": i, "capture_kernel": True} for i in strangers]}
    return label


def play(acts: list[Act], work: pathlib.Path, into: pathlib.Path, say: Callable[[str], None] = print) -> list[str]:
    """Plays the acts and writes the folders of the named ones; returns their names."""
    machine, rows, made = Machine(work), [], []
    waiting: tuple[Act, str | None, int] | None = None
    up = False
    began = time.monotonic()

    def hand_over(now: str) -> None:
        nonlocal waiting
        act, boot_id, since = waiting
        waiting = None
        if not act.name:
            return
        listed = capture.collect(machine, into / act.name, since)
        capture.write_label(into / act.name, _label(act, boot_id, list(rows), now, listed))
        made.append(act.name)
        say(f"{time.monotonic() - began:5.0f} s  {act.name}: {act.ending}, {len(listed)} boots in the journal")

    try:
        following: Boot | None = None
        for act in [*acts, None]:
            if act is None and waiting is None:
                break
            since = machine.console_size()
            if not up:
                machine.power_on(following or (act.boot if act else Boot()))
            boot_id = None
            if act is None or not act.blind:
                boot_id = machine.ready()
                machine.run("dmesg -n 7")
                if waiting:
                    hand_over(boot_id)
            if act is None:
                break
            act.do(machine)
            rows.append(_row(act, boot_id))
            waiting = (act, boot_id, since)
            if act.still_running:
                hand_over(boot_id)
                machine.cut()
            up, following = act.reboots, act.after
        return made
    finally:
        machine.close()
