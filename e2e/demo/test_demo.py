"""`./dev demo`: what it says is what the journals say, it fits a terminal, it leaves nothing behind, and it can fail."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

from lib import oracle, proc
from lib.journal import GateLog, attempts, read_lines

DEMO = proc.ROOT / "tools" / "demo"
NAMES = ["chat", "finetuned", "vision", "rerank", "embed"]
GIB = 1 << 30
SETTLE_NS = 300_000_000  # SETTLE_FLOOR_MS in tools/demo/scenes.py

sys.path.insert(0, str(DEMO))
import chart  # noqa: E402
import demo  # noqa: E402
import scenes  # noqa: E402


class Played:
    """One run of the demo and what it left in --record."""

    def __init__(self, folder: pathlib.Path, *words: str, **environment: str):
        self.folder = folder
        begun = time.monotonic()
        self.done = subprocess.run(
            [sys.executable, str(DEMO / "demo.py"), "--record", str(folder), *words], capture_output=True, text=True,
            env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment}, timeout=120, check=False)
        self.seconds = time.monotonic() - begun
        self.text = self.done.stdout
        self.lines = self.text.splitlines()
        self.without = attempts(read_lines(folder / "without" / "journal.jsonl"))
        self.gated = attempts(read_lines(folder / "with" / "journal.jsonl"))
        self.log = GateLog(folder / "with")

    def row(self, name: str) -> str:
        """The server's line in the table of KV caches."""
        return next(line for line in self.lines if re.match(rf"{name} +[\d.]+ GiB", line))

    def panels(self, name: str) -> tuple[str, str]:
        """The server's row in the chart: without the gate, with it."""
        rows = [line for line in self.lines if re.match(rf"{name} *[▒·]", line)]
        assert len(rows) == 1, f"{name} has {len(rows)} rows in\n{self.text}"
        bars = rows[0].ljust(80)[chart.NAME_WIDTH:]
        return bars[:chart.PANEL], bars[chart.PANEL + 1:]


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Played:
    return Played(tmp_path_factory.mktemp("demo"))


def test_ends_well_in_less_than_a_minute(played):
    assert played.done.returncode == 0, played.text + played.done.stderr
    assert played.done.stderr == ""
    assert played.seconds < 60


def test_without_the_gate_something_went_wrong(played):
    failed = [attempt for attempt in played.without if attempt.failure]
    alone = {attempt.service: attempt.kv for attempt in played.gated}
    missized = [attempt for attempt in played.without if not attempt.failure and attempt.kv != alone[attempt.service]]
    assert failed or missized


def test_with_the_gate_all_five_start_one_after_the_other(played):
    assert sorted(attempt.service for attempt in played.gated) == sorted(NAMES)
    assert all(attempt.ready and not attempt.failure for attempt in played.gated)
    oracle.check_windows(played.gated, SETTLE_NS)
    assert [line["service"] for line in played.log.grants()][:2] == ["chat", "finetuned"], "order is by priority"


def test_the_table_shows_the_sizes_of_the_journals(played):
    for attempt in played.gated:
        row = played.row(attempt.service)
        alone, with_gate = re.findall(r"[\d.]+ GiB", row)[0], re.findall(r"[\d.]+ GiB", row)[-1]
        assert with_gate == alone == f"{attempt.kv / GIB:.1f} GiB", row
    for attempt in played.without:
        row = played.row(attempt.service)
        assert ("failed" in row) == bool(attempt.failure), row
        if not attempt.failure:
            assert f"{attempt.kv / GIB:.1f} GiB" in row


def test_the_chart_shows_who_failed_and_who_waited(played):
    for attempt in played.without:
        left, right = played.panels(attempt.service)
        assert ("x" in left) == bool(attempt.failure), left
        assert "x" not in right and "█" in right, right
        assert "·" not in left, "nobody waits without the gate"
    starts = []
    for line in played.log.grants():
        right = played.panels(line["service"])[1]
        assert re.fullmatch(r"·*▒+▓*█+ *", right), right
        starts.append((right.index("▒"), right.index("█")))
    for (_, serving), (start, _) in zip(starts, starts[1:]):
        assert start >= serving, "starts overlap in the chart"


def test_the_errors_are_the_engines_own(played):
    quoted = re.findall(r'FAILED "(.+)"', played.text)
    journal = [line["error"] for line in read_lines(played.folder / "without" / "journal.jsonl")
               if line["phase"] == "fail"]
    assert len(quoted) == len(journal)
    for text in quoted:
        assert any(text.rstrip(".") in error for error in journal), (text, journal)


def test_the_summary_counts_what_the_journals_say(played):
    up = len(NAMES) - len([attempt for attempt in played.without if attempt.failure])
    first, second, third, last = played.lines[-4:]
    assert first.startswith(f"Without the gate {up} of 5 came up; with it 5 of 5, one after the other, in ")
    whole = max(line["boottime_ns"] for line in played.log.lines if line["state"] == "ready") - min(
        line["boottime_ns"] for line in played.log.lines)
    assert abs(float(re.search(r"in ([\d.]+) s", first).group(1)) - whole / 1e9) < 1
    alone = {attempt.service: attempt.kv for attempt in played.gated}
    for attempt in played.without:
        missized = not attempt.failure and abs(attempt.kv - alone[attempt.service]) > alone[attempt.service] / 100
        assert (attempt.service in second) == missized, second
    assert second.endswith("with it: none.")
    assert re.findall(r"(\w+) [\d.]+ s", third) == NAMES
    heading = re.search(r'README.md, "(.+)"', last).group(1)
    assert re.search(rf"^#+ {re.escape(heading)}$", (proc.ROOT / "README.md").read_text(), re.MULTILINE)


def test_fits_eighty_columns_and_has_no_colours_in_a_pipe(played):
    assert "\x1b" not in played.text
    assert max(len(line) for line in played.lines) <= 80


def test_leaves_no_process_and_no_folder_behind(played):
    for half in ("without", "with"):
        machine = (played.folder / half / "machine").read_text().strip()
        assert not pathlib.Path(machine).exists()
        assert [pid for pid in proc.all_pids() if any(machine in word for word in proc.cmdline(pid))] == []


def test_stops_at_once_when_told_to_and_cleans_up():
    process = proc.start([sys.executable, str(DEMO / "demo.py")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def servers():
        return [pid for pid in proc.descendants(process.pid) if proc.comm(pid).startswith("vllm")]
    below = proc.until(servers, 20, "a server of the demo")
    words = proc.cmdline(below[0])
    machine = pathlib.Path(words[words.index("--fake-gpu-dir") + 1])
    assert machine.is_dir()
    process.send_signal(signal.SIGTERM)
    assert proc.wait(process, 10) == 128 + signal.SIGTERM
    assert not [pid for pid in below if proc.is_running(pid)]
    assert not machine.parent.exists()


def test_fails_when_the_gate_does_not_do_its_work(tmp_path):
    """A wrapper that starts its command at once."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("antifreeze", "fakevllm"):
        (programs / name).symlink_to(proc.program(name))
    wrapper = programs / "antifreeze-run"
    wrapper.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
    wrapper.chmod(0o755)
    broken = Played(tmp_path / "record", AF_BIN=str(programs))
    assert broken.done.returncode == 1, broken.text
    assert "The demo failed: with the gate" in broken.text


def test_says_what_is_missing(tmp_path):
    done = subprocess.run([sys.executable, str(DEMO / "demo.py")], capture_output=True, text=True, check=False, timeout=30,
                          env={**os.environ, "AF_BIN": str(tmp_path)})
    assert done.returncode == 1
    assert "run ./dev build" in done.stderr


def outcome(name: str, wanted: int = 10 * GIB, **more) -> scenes.Outcome:
    return scenes.Outcome(name, wanted, **{"got": wanted, "up_at": 2.0, "begun_at": 1.0, **more})


@pytest.mark.parametrize("without, with_gate, code", [
    ([outcome("a", got=None, up_at=None, error="failed")], [outcome("a")], 0),
    ([outcome("a", got=5 * GIB)], [outcome("a")], 0),
    ([outcome("a")], [outcome("a")], 1),
    ([outcome("a", got=5 * GIB)], [outcome("a", got=5 * GIB)], 1),
    ([outcome("a", got=5 * GIB)], [outcome("a", up_at=None, error="failed")], 1),
    ([outcome("a", got=5 * GIB)], [outcome("a", up_at=None)], 1),
])
def test_the_exit_code_needs_a_failure_without_and_none_with_the_gate(without, with_gate, code):
    assert demo.verdict(scenes.Round(without, 1.0), scenes.Round(with_gate, 1.0)) == code


def test_the_exit_code_needs_windows_that_do_not_overlap():
    failed, good = scenes.Round([outcome("a", up_at=None, error="failed")], 1.0), [outcome("a")]
    assert demo.verdict(failed, scenes.Round(good, 1.0)) == 0
    assert demo.verdict(failed, scenes.Round(good, 1.0, problem="a touched the device while b was in its window")) == 1


def test_a_column_shows_what_filled_most_of_it_and_a_failure_always():
    spans = [(0.0, 2.4, chart.STARTING), (2.4, 4.0, chart.SERVING)]
    assert chart.cells(spans, 1.0, 5) == [chart.STARTING, chart.STARTING, chart.SERVING, chart.SERVING, None]
    assert chart.cells([(0.0, 2.4, chart.STARTING), (2.4, 2.4, chart.FAILED)], 1.0, 4) == [
        chart.STARTING, chart.STARTING, chart.FAILED, None]
    assert chart.cells([(0.0, 9.0, chart.STARTING), (9.0, 9.0, chart.FAILED)], 1.0, 3)[-1] == chart.FAILED


@pytest.mark.parametrize("seconds", [0.5, 3, 8, 24, 90])
def test_the_axis_fits_its_panel_and_has_room_between_its_labels(seconds):
    line = chart.axis(seconds / chart.PANEL, chart.PANEL)
    assert len(line) == chart.PANEL
    assert line.startswith("|0")
    assert not re.search(r"s\|", line), line


def test_colours_are_for_terminals_and_for_nobody_who_said_no():
    leader, follower = os.openpty()
    with open(leader, "rb"), open(follower, "w", encoding="utf-8") as terminal, open(os.devnull, "w", encoding="utf-8") as file:
        assert demo.wants_colour(terminal, {})
        assert not demo.wants_colour(terminal, {"NO_COLOR": "1"})
        assert not demo.wants_colour(terminal, {"TERM": "dumb"})
        assert not demo.wants_colour(file, {})
    assert "\x1b[" in chart.Style(colour=True).paint(chart.SERVING)


def test_plain_characters_where_asked_for():
    spans = {"a": [(0.0, 1.0, chart.STARTING), (1.0, 2.0, chart.SERVING)]}
    lines = chart.draw(["a"], spans, spans, ("left", "right"), 2.0, chart.Style(unicode=False))
    assert "\n".join(lines).isascii()
    assert "SSS" in lines[2]


def test_takes_the_first_sentence_of_the_engines_own_reason():
    text = ("(EngineCore_DP0 pid=7) INFO 11-30 23:10:06 [x.py:1] Starting\n"
            "(EngineCore_DP0 pid=7) ERROR 11-30 23:10:06 [core.py:708] ValueError: No available memory for the cache blocks. "
            "Try increasing it.\nRuntimeError: Engine core initialization failed. See root cause above.\n")
    assert scenes.error_line(text) == "No available memory for the cache blocks."
    assert scenes.error_line("nothing\n") == ""


def test_shows_three_captured_machines_and_this_one(played):
    begin = next(number for number, line in enumerate(played.lines) if line.startswith("3. "))
    text = " ".join(line.strip() for line in played.lines[begin:])
    for ending in ("ended: gpu lost", "ended: oom", "ended: panic"):
        assert text.count(ending) == 1, text
    assert "NVRM: Xid (PCI:0000:01:00): 79" in text
    assert "This machine" in text.partition("ended: panic")[2]


def test_a_machine_without_a_journal_is_told_apart_from_one_with(monkeypatch, tmp_path):
    import autopsies
    monkeypatch.setattr(autopsies, "HERE", (str(tmp_path / "none"),))
    assert autopsies.this_machine() is None
