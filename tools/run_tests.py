"""Runs every stage of `./dev test`, sums up what the test runners counted and ends with one closing line.

A stage that fails does not stop the others. A stage whose tool broke, so that nothing could be counted, counts as one
failure. Logs and JUnit files lie in build/test/.
"""

import argparse
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import junit  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "test"
JOBS = os.environ.get("AF_JOBS", str(os.cpu_count() or 1))


@dataclass
class Stage:
    """What a stage does and what came of it."""

    name: str
    title: str
    seconds: float = 0
    counts: junit.Counts = field(default_factory=junit.Counts)
    broke: list[str] = field(default_factory=list)

    def log(self, what: str) -> pathlib.Path:
        return OUT / f"{self.name}-{what}.log"

    def failed(self) -> int:
        """Failed tests; a broken tool counts as one unless its tests were counted as failed already."""
        failed = len(self.counts.failed)
        return failed if failed or not self.broke else 1


def owner_prefix() -> list[str]:
    """Under sudo, what is built belongs to the checkout's owner."""
    owner = os.environ.get("AF_OWNER", "root")
    if os.geteuid() == 0 and owner != "root" and os.environ.get("SUDO_UID"):
        return ["runuser", "-u", owner, "--", "env", f"HOME={pwd.getpwnam(owner).pw_dir}"]
    return []


def run(stage: Stage, what: str, argv: list[str], limit_s: int, env: dict | None = None, live: bool = False,
        as_owner: bool = True, show_lines: int = 60) -> bool:
    """Runs one command of a stage into its log. False, with the end of the log shown, when it failed or took too long.

    The limits only keep a hung command from taking the whole run with it: several times what the stage needs.
    """
    argv = (owner_prefix() if as_owner else []) + argv
    log = stage.log(what)
    with log.open("w") as out:
        child = subprocess.Popen(argv, cwd=ROOT, env=os.environ | (env or {}), text=True, errors="replace",
                                 stdout=subprocess.PIPE if live else out, stderr=subprocess.STDOUT,
                                 stdin=subprocess.DEVNULL, start_new_session=True)
        end = time.monotonic() + limit_s
        try:
            if live:
                signal.signal(signal.SIGALRM, lambda *_: os.killpg(child.pid, signal.SIGKILL))
                signal.alarm(limit_s)
                for line in child.stdout:
                    out.write(line)
                    print(line, end="", flush=True)
                signal.alarm(0)
            while True:
                try:
                    code = child.wait(timeout=min(30.0, max(0.1, end - time.monotonic())))
                    break
                except subprocess.TimeoutExpired:
                    if time.monotonic() >= end:
                        os.killpg(child.pid, signal.SIGKILL)
                        code = child.wait()
                        break
                    print(f"   ... {what}: {last_line(log)}", flush=True)
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise
    if code == 0:
        return True
    late = time.monotonic() >= end
    stage.broke.append(f"{what}: " + (f"killed after {limit_s} s" if late else f"exit {code}") + f", log {log}")
    if not live:
        lines = log.read_text(errors="replace").splitlines()[-show_lines:]
        print("\n".join("   | " + line for line in lines), flush=True)
    return False


def last_line(log: pathlib.Path) -> str:
    lines = log.read_text(errors="replace").splitlines()
    return lines[-1][:150] if lines else "(no output yet)"


def build(stage: Stage, preset: str, targets: list[str] | None = None) -> bool:
    wanted = ["--target", *targets] if targets else []
    return run(stage, f"configure-{preset}", ["cmake", "--preset", preset], 300) and run(
        stage, f"build-{preset}", ["cmake", "--build", "--preset", preset, "-j", JOBS, *wanted], 2400)


def ctest(stage: Stage, preset: str, env: dict | None = None, only: list[str] | None = None, limit_s: int = 1200) -> None:
    report = OUT / f"{stage.name}.xml"
    report.unlink(missing_ok=True)
    run(stage, "ctest", ["ctest", "--preset", preset, "--output-junit", str(report), *(only or [])], limit_s, env)
    collect(stage, report)


def pytest(stage: Stage, paths: list[str], limit_s: int, env: dict | None = None, ignore: str = "") -> None:
    report = OUT / f"{stage.name}.xml"
    report.unlink(missing_ok=True)
    argv = ["/usr/bin/python3", "-m", "pytest", "-v", "--tb=short", "-p", "no:cacheprovider", "--durations=10",
            f"--junit-xml={report}", *paths]
    if ignore:
        argv.append(f"--ignore={ignore}")
    run(stage, "pytest", argv, limit_s, env, live=True, as_owner=False)
    collect(stage, report)


def collect(stage: Stage, report: pathlib.Path) -> None:
    stage.counts = junit.read(report)
    if not report.exists():
        stage.broke.append(f"no report {report}")
    elif stage.counts.total() == 0:
        stage.broke.append("no test was run")


def stage_build(stage: Stage) -> None:
    build(stage, "release")
    build(stage, "dev")


def our_sources(*suffixes: str) -> list[str]:
    found = [path for folder in ("src", "tools", "fuzz", "bench") for path in sorted((ROOT / folder).rglob("*"))
             if path.suffix in suffixes]
    return [str(path.relative_to(ROOT)) for path in found]


def stage_format(stage: Stage) -> None:
    if not shutil.which("clang-format-19"):
        stage.counts.skipped.append(("format", "no clang-format-19 here, and other versions format differently"))
        return
    run(stage, "clang-format", ["clang-format-19", "--dry-run", "-Werror", *our_sources(".cc", ".h")], 120)


def stage_lint(stage: Stage) -> None:
    if not shutil.which("clang-tidy-19") and not shutil.which("clang-tidy-18"):
        stage.counts.skipped.append(("lint", "no clang-tidy-19 or -18 here"))
        return
    # Needs the dev build: its compile commands, and what each source included.
    if build(stage, "dev"):
        run(stage, "clang-tidy", ["/usr/bin/python3", "tools/tidy.py"], 900, show_lines=200)


def stage_unit(stage: Stage) -> None:
    if build(stage, "dev"):
        ctest(stage, "dev")
        # Counted above; once more for its tables of wanted and found endings, which ctest keeps to itself.
        run(stage, "endings", ["build/dev/src/autopsy/autopsy_tests", "--gtest_brief=1",
                               "--gtest_filter=Autopsy.*EndAsTheirLabelsSay"], 300, live=True)


def stage_asan(stage: Stage) -> None:
    if build(stage, "asan-ubsan"):
        ctest(stage, "asan-ubsan", {"UBSAN_OPTIONS": "print_stacktrace=1"})


def stage_tsan(stage: Stage) -> None:
    # Where signal handlers, forks and the tests' own threads meet; the other folders are pure and have neither.
    folders = ["host", "gate", "run"]
    if build(stage, "tsan", [f"{folder}_tests" for folder in folders]):
        ctest(stage, "tsan", {"TSAN_OPTIONS": "halt_on_error=1 die_after_fork=0"}, ["-R", f"^({'|'.join(folders)})[.]"])


def stage_fuzz(stage: Stage) -> None:
    if not shutil.which("clang++-19"):
        stage.counts.skipped.append(("fuzz", "no clang++-19 here"))
        return
    seconds = 600 if os.environ.get("AF_LONG") else 60
    if run(stage, "configure", ["cmake", "--preset", "fuzz", f"-DAF_FUZZ_SECONDS={seconds}"], 300) and build(stage, "fuzz"):
        ctest(stage, "fuzz", limit_s=1200 if seconds == 60 else 3600)


def stage_arm64(stage: Stage) -> None:
    if build(stage, "arm64"):
        ctest(stage, "arm64")


def stage_model(stage: Stage) -> None:
    pytest(stage, ["e2e/model"], 900)


def stage_e2e(stage: Stage) -> None:
    pytest(stage, ["e2e"], 4 * 3600 if os.environ.get("AF_LONG") else 2400, ignore="e2e/model")


def stage_house(stage: Stage) -> None:
    pytest(stage, ["e2e/house"], 1200)


STAGES = {
    "build": (stage_build, "programs (release) and unit tests (dev)"),
    "format": (stage_format, "clang-format"),
    "lint": (stage_lint, "clang-tidy"),
    "unit": (stage_unit, "unit tests"),
    "arm64": (stage_arm64, "unit tests for arm64 under qemu-user"),
    "e2e": (stage_e2e, "end to end"),
    "model": (stage_model, "the gate's protocol under spin"),
    "asan": (stage_asan, "unit tests and fuzz corpora under ASan and UBSan"),
    "tsan": (stage_tsan, "unit tests of host, gate and run under TSan"),
    "fuzz": (stage_fuzz, "fuzz targets search on: a minute each where strangers wrote the input, ten with --long"),
    "house": (stage_house, "house rules"),
}
DEFAULT = [name for name in STAGES if name != "house"]  # e2e contains house


def summary(stages: list[Stage]) -> list[str]:
    lines = []
    for stage in stages:
        counts = stage.counts
        state = "ok" if not stage.failed() else "FAILED"
        lines.append(f"{stage.name:8} {state:7} {stage.seconds:7.1f} s  {counts.passed:5} passed {stage.failed():4} failed "
                     f"{len(counts.skipped):4} skipped")
    for stage in stages:
        lines += [f"FAILED  {stage.name}: {name}" for name in stage.counts.failed]
        lines += [f"BROKEN  {stage.name}: {why}" for why in stage.broke]
        lines += [f"SKIPPED {stage.name}: {name}: {why}" for name, why in stage.counts.skipped]
    passed = sum(stage.counts.passed for stage in stages)
    failed = sum(stage.failed() for stage in stages)
    skipped = sum(len(stage.counts.skipped) for stage in stages)
    lines.append(f"{passed} passed, {failed} failed, {skipped} skipped")
    return lines


def git(*args: str) -> str:
    done = subprocess.run([*owner_prefix(), "git", *args], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def write_evidence(stages: list[Stage], lines: list[str]) -> None:
    """docs/evidence/test-long-COMMIT.txt: on what, when, what came out, and how long each e2e test took."""
    commit = git("rev-parse", "--short=12", "HEAD") or "no-commit"
    changed = " with uncommitted changes" if git("status", "--porcelain", "--untracked-files=no") else ""
    machine = os.uname()
    head = [f"./dev test --long at {commit}{changed}, {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}",
            f"Linux {machine.release} {machine.machine}, {os.cpu_count()} cores", ""]
    times = [f"{seconds:9.2f} s  {stage.name}: {name}" for stage in stages if stage.name in ("model", "e2e")
             for name, seconds in stage.counts.seconds]
    path = ROOT / "docs" / "evidence" / f"test-long-{commit}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join([*head, *lines[:-1], "", *times, "", lines[-1]]) + "\n"
    path.write_text(text.replace(f"{ROOT}/", ""))
    print(f"written: {path.relative_to(ROOT)}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev test", description=__doc__)
    parser.add_argument("--long", action="store_true", help="long tests in full; evidence into docs/evidence/")
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=" ".join(STAGES))
    args = parser.parse_args()
    unknown = [name for name in args.stages if name not in STAGES]
    if unknown:
        parser.error(f"no stage {unknown[0]}; there are {' '.join(STAGES)}")
    if args.long:
        os.environ["AF_LONG"] = "1"
    subprocess.run([*owner_prefix(), "mkdir", "-p", str(OUT)], check=True)
    stages = []
    started = time.monotonic()
    minutes = float(os.environ.get("AF_MINUTES", "inf"))
    for name in args.stages or DEFAULT:
        work, title = STAGES[name]
        stage = Stage(name, title)
        print(f"\n=== {name}: {title}", flush=True)
        begun = time.monotonic()
        if begun - started > minutes * 60:
            stage.counts.skipped.append((name, f"not begun: {minutes} minutes (AF_MINUTES) were over"))
            stages.append(stage)
            continue
        try:
            work(stage)
        except Exception as error:  # a stage that breaks in an unforeseen way is a failure, not the end of the run
            stage.broke.append(f"{type(error).__name__}: {error}")
        stage.seconds = time.monotonic() - begun
        stages.append(stage)
        print(f"=== {name}: {'ok' if not stage.failed() else 'FAILED'} after {stage.seconds:.1f} s", flush=True)
    lines = summary(stages)
    print("\n=== summary")
    if args.long:
        write_evidence(stages, lines)
    print("\n".join(lines), flush=True)
    return 1 if any(stage.failed() for stage in stages) else 0


if __name__ == "__main__":
    sys.exit(main())
