"""Runs clang-tidy over our sources, each on its own so that one bad file does not hide the next.

What was found clean is remembered by the contents of everything that went into it (build/tidy/), so that a second run
takes seconds.
"""

import hashlib
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "dev"
CLEAN = ROOT / "build" / "tidy"

# The analyzer follows paths through std::string for a minute a file unless it is held back. Tests get no path analysis
# at all: most of its work would go into what the macros of GoogleTest unfold to.
BOUNDED = ["--extra-arg=-Xclang", "--extra-arg=-analyzer-config", "--extra-arg=-Xclang", "--extra-arg=max-nodes=8000",
           "--extra-arg=-U_GLIBCXX_ASSERTIONS"]
NO_ANALYZER = ["--checks=-clang-analyzer-*"]


def sources() -> list[str]:
    """Our sources that the build compiles; tests, which are half of them, only in a long run (`./dev test --long`)."""
    found = [path for folder in ("src", "tools", "fuzz") for path in sorted((ROOT / folder).rglob("*.cc"))
             if os.environ.get("AF_LONG") or not path.name.endswith("_test.cc")]
    return [str(path.relative_to(ROOT)) for path in found]


def inputs_by_source() -> dict[str, set[str]]:
    """Which files of ours each source included when it was last compiled, as ninja recorded it."""
    done = subprocess.run(["ninja", "-C", str(BUILD), "-t", "deps"], capture_output=True, text=True, check=True)
    by_source: dict[str, set[str]] = {}
    group: list[str] = []
    for line in [*done.stdout.splitlines(), ""]:
        if line.startswith("    "):
            path = os.path.realpath(os.path.join(BUILD, line.strip()))
            if path.startswith(str(ROOT) + "/"):
                group.append(os.path.relpath(path, ROOT))
        elif group:
            by_source.setdefault(group[0], set()).update(group)
            group = []
    return by_source


def key_of(source: str, inputs: set[str], version: str) -> str:
    """Changes with the tool, its configuration and every file of ours that goes into `source`."""
    digest = hashlib.sha256(version.encode())
    for path in [".clang-tidy", "tools/tidy.py", "cmake/af_compiler.cmake", *sorted(inputs | {source})]:
        if (ROOT / path).exists():
            digest.update(path.encode() + b"\0" + (ROOT / path).read_bytes())
    return digest.hexdigest()


def main() -> int:
    tidy = shutil.which("clang-tidy-19") or shutil.which("clang-tidy-18")
    if not tidy:
        print("no clang-tidy-19 or -18 here")
        return 3
    version = subprocess.run([tidy, "--version"], capture_output=True, text=True, check=True).stdout
    inputs = inputs_by_source()
    CLEAN.mkdir(parents=True, exist_ok=True)
    failed: list[str] = []

    def check(source: str) -> None:
        mark = CLEAN / key_of(source, inputs.get(source, set()), version)
        if mark.exists():
            return
        scope = NO_ANALYZER if source.endswith("_test.cc") or source.startswith("fuzz/") else BOUNDED
        done = subprocess.run([tidy, "--quiet", "-p", str(BUILD), *scope, source], cwd=ROOT, capture_output=True,
                              text=True, check=False)
        if done.returncode == 0:
            mark.touch()
            return
        failed.append(source)
        print(done.stdout or done.stderr, flush=True)

    wanted = sys.argv[1:] or sources()
    with ThreadPoolExecutor(int(os.environ.get("AF_JOBS", os.cpu_count() or 1))) as pool:
        list(pool.map(check, wanted))
    if failed:
        print("clang-tidy finds fault with " + shlex.join(sorted(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
