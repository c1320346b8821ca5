"""Measures antifreeze-run against tini, dumb-init and a shell wrapper of the usual kind, in one run on one machine.

Prints the figures and writes them into docs/benchmarks.md. The exit code is 0 whatever they are, unless something
could not be measured; with --check it is 1 when a target was missed.
"""

import argparse
import os
import pathlib
import platform
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import figures  # noqa: E402
import peers  # noqa: E402
from lib import proc  # noqa: E402
import five_servers, footprint, handover, startup  # noqa: E402, E401

PAGE = peers.ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- measured: ./dev bench gate -->", "<!-- /measured -->"
PARTS = {"startup": startup.measure, "footprint": footprint.measure, "handover": handover.measure,
         "five": five_servers.measure}


def commit() -> str:
    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=peers.ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip()
    name = git("rev-parse", "--short=12", "HEAD") or "no commit"
    return name + (" with uncommitted changes" if git("status", "--porcelain", "--untracked-files=no") else "")


def cpu() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(("model name", "Model")):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def circumstances(argv: list[str], load: tuple[float, float, float], seconds: float) -> list[str]:
    machine = os.uname()
    return [f"- command: `./dev bench gate{''.join(' ' + word for word in argv)}`, {seconds:.0f} s",
            f"- date: {time.strftime('%Y-%m-%dT%H:%MZ', time.gmtime())}, commit: {commit()}",
            f"- machine: Linux {machine.release} {machine.machine}, {cpu()}, {os.cpu_count()} cores, "
            f"load average before {load[0]:.1f}, after {os.getloadavg()[0]:.1f}"]


def split_page() -> tuple[str, str]:
    """What stands before and after the figures in docs/benchmarks.md."""
    head, begin, rest = PAGE.read_text().partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise figures.CannotMeasure(f"{PAGE} has lost its markers {BEGIN} and {END}")
    return head + begin, end + tail


def write_page(rows: list[figures.Row], about: list[str]) -> None:
    head, tail = split_page()
    PAGE.write_text("\n".join([head, "", *about, "", figures.as_markdown(rows), "", tail]))


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev bench gate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit 1 when a target was missed")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions; docs/benchmarks.md stays as it is")
    parser.add_argument("--only", choices=PARTS, help="one part; docs/benchmarks.md stays as it is")
    args = parser.parse_args()
    proc.become_subreaper()
    begun, load, rows = time.monotonic(), os.getloadavg(), []
    try:
        peers.check_tools()
        split_page()
        for name, measure in PARTS.items():
            if args.only in (None, name):
                print(f"measuring {name} ...", file=sys.stderr, flush=True)
                rows += measure(args.quick)
        about = circumstances(sys.argv[1:], load, time.monotonic() - begun)
        print(figures.as_text(rows) + "\n\n" + "\n".join(about))
        if not args.quick and not args.only:
            write_page(rows, about)
            print(f"written: {PAGE.relative_to(peers.ROOT)}")
    except (figures.CannotMeasure, proc.TooLate) as error:
        print(f"cannot measure: {error}", file=sys.stderr)
        return 2
    finally:
        proc.sweep()
    missed = [row.what for row in rows if not row.met()]
    for what in missed:
        print(f"target missed: {what}")
    return 1 if args.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
