"""Reads the same gigabyte with antifreeze, ripgrep and grep, and the same journal with antifreeze and journalctl | grep.

Ratios of medians in one run. Exit code 0 whatever they are; with --check 1 when a target was missed.
"""

import argparse
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tomllib

import make_logs

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "bin" / "antifreeze"
MB = 1 << 20


def patterns() -> list[str]:
    found = []
    for path in sorted((ROOT / "knowledge" / "signs").glob("*.toml")):
        found += [sign["pattern"] for sign in tomllib.loads(path.read_text())["sign"]]
    return found


def for_ripgrep(pattern: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(", pattern).replace('\\"', '"')


def for_grep(pattern: str) -> str:
    """POSIX extended: no lazy repetition, no non-capturing groups, no \\d; \\S, \\s and \\w are GNU's own."""
    text = re.sub(r"\(\?(?:P<\w+>|:)", "(", pattern).replace('\\"', '"')
    text = re.sub(r"\[([^\]]*)\\d", r"[\g<1>0-9", text).replace("\\d", "[0-9]")
    return re.sub(r"([+*?])\?", r"\1", text)


class Peak:
    """Highest RssAnon of a process, looked at every 20 ms."""

    def __init__(self, pid: int):
        self.kb = 0
        self.thread = threading.Thread(target=self.watch, args=(pid,))
        self.thread.start()

    def watch(self, pid: int) -> None:
        while True:
            try:
                text = pathlib.Path(f"/proc/{pid}/status").read_text()
            except (FileNotFoundError, ProcessLookupError):
                return
            found = re.search(r"RssAnon:\s+(\d+)", text)
            if not found:  # a zombie has no memory
                return
            self.kb = max(self.kb, int(found.group(1)))
            time.sleep(0.02)


def timed(argv: list[str], runs: int) -> tuple[float, int]:
    """Median seconds and the highest RssAnon in kB."""
    seconds, peak = [], 0
    for _ in range(runs):
        begin = time.perf_counter()
        with tempfile.TemporaryFile() as out:  # grep stops at its first hit when nobody would see more
            process = subprocess.Popen(argv, stdout=out, stderr=subprocess.DEVNULL)
            watch = Peak(process.pid)
            process.wait()
        seconds.append(time.perf_counter() - begin)
        watch.thread.join()
        if process.returncode not in (0, 1):
            raise SystemExit(f"{argv[0]} ended with {process.returncode}")
        peak = max(peak, watch.kb)
    return statistics.median(seconds), peak


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--text-mb", type=int, default=1024)
    parser.add_argument("--boots", type=int, default=50)
    parser.add_argument("--entries", type=int, default=24000, help="a boot; 50 boots of them are more than 500 MB")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="af-bench-", dir="/dev/shm"))
    missed = False

    def target(what: str, value: float, limit: float, at_least: bool = False) -> str:
        nonlocal missed
        met = value >= limit if at_least else value <= limit
        missed = missed or not met
        return f"{what} ({'>=' if at_least else '<='} {limit:g}: {'met' if met else 'MISSED'})"

    try:
        (folder / "rg.txt").write_text("".join(for_ripgrep(p) + "\n" for p in patterns()))
        (folder / "grep.txt").write_text("".join(for_grep(p) + "\n" for p in patterns()))
        log = folder / "syslog"
        make_logs.syslog(log, options.text_mb * MB)
        ours, ours_kb = timed([str(PROGRAM), "autopsy", "--all", "--log", str(log)], options.runs)
        rg, _ = timed(["rg", "-c", "-f", str(folder / "rg.txt"), str(log)], options.runs)
        grep, _ = timed(["env", "LC_ALL=C", "grep", "-E", "-c", "-f", str(folder / "grep.txt"), str(log)], 1)
        print(f"text, {log.stat().st_size / MB:.0f} MB: antifreeze {ours:.2f} s, ripgrep {rg:.2f} s, grep -E {grep:.2f} s; "
              + target(f"{ours / rg:.2f}x ripgrep", ours / rg, 2) + f", {ours / grep:.2f}x grep; "
              + target(f"RssAnon {ours_kb / 1024:.0f} MB", ours_kb / 1024, 100))
        log.unlink()
        (folder / "j").mkdir()
        make_logs.journal(folder / "j" / "system.journal", options.boots, options.entries)
        size = sum(path.stat().st_size for path in (folder / "j").iterdir())
        ours, ours_kb = timed([str(PROGRAM), "autopsy", "--all", "--journal", str(folder / "j")], options.runs)
        peer, _ = timed(["bash", "-c", f"journalctl -D {folder}/j -k --boot=all --no-pager | LC_ALL=C grep -E -c -f {folder}/grep.txt"],
                        options.runs)
        print(f"journal, {size / MB:.0f} MB, {options.boots} boots: antifreeze {ours:.2f} s, journalctl | grep -E {peer:.2f} s; "
              + target(f"{peer / ours:.2f}x as fast", peer / ours, 3, at_least=True) + "; "
              + target(f"RssAnon {ours_kb / 1024:.0f} MB", ours_kb / 1024, 100))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if missed and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
