"""Rules that hold for every file of the checkout."""

import re

from house import CODE, ROOT, bare, block_from, files, line_of, text, without_comments

LONGEST = 600

# What may stand nowhere but in src/host (the one folder that touches the machine), and why.
FORBIDDEN = {
    r"\bstd::regex\b": "backtracks without bound and drags a locale into the static program",
    r"(?<![\w.>])(?:std::|::)?system\s*\(": "runs a shell",
    r"\bsleep_for\b|\bsleep_until\b|\b(?:usleep|nanosleep)\s*\(|(?<!\w)::sleep\s*\(": "waits for time where an event can be awaited",
    r"::now\s*\(\s*\)": "reads a clock; `now` is a parameter",
    r"\bgetenv\s*\(": "hidden input",
}
PROC = (r'"/proc/', "a path of the machine")

# Where one of them is right all the same: (path or folder, pattern) and the reason.
EXCEPTIONS = {
    ("src/host/", None): "the seam itself",
    ("src/run/main.cc", "getenv"): "a program's own entry: reads the environment twins once and hands them on",
    ("src/cli/main.cc", "getenv"): "the same",
    ("src/run/options_table.h", '"/proc/'): "the default that --help shows; host/ opens it",
    ("src/run/readiness.cc", "getenv"): "PATH, in which the words after cmd: are looked up as execvp would",
    ("src/run/queue_wait.cc", "usleep"): "in the mutant without the registry lock only: widens the race it opens",
    ("tools/fakevllm/", None): "a simulated server: a program of its own that has to look like one to the machine",
}


def excused(path: str, found: str) -> bool:
    return any(path.startswith(place) and (what is None or what in found) for place, what in EXCEPTIONS)


def sources() -> list:
    return [path for folder in ("src", "tools") for path in files(".cc", ".h", under=folder)]


def test_no_file_is_longer_than_one_can_read():
    long = {}
    for path in files():
        if path.suffix in CODE or path.name in ("CMakeLists.txt", "dev", "run"):
            lines = text(path).count("\n")
            if lines > LONGEST:
                long[str(path)] = lines
    assert long == {}


def test_the_machine_is_touched_in_host_only():
    wrong = []
    for path in sources():
        code = bare(text(path))
        for pattern, why in FORBIDDEN.items():
            for found in re.finditer(pattern, code):
                if not excused(str(path), found.group(0)):
                    wrong.append(f"{path}:{line_of(code, found.start())}: {found.group(0)}: {why}")
        if path.name.endswith("_test.cc"):
            continue  # tests quote what the kernel prints
        code = without_comments(text(path))
        for found in re.finditer(PROC[0], code):
            if not excused(str(path), found.group(0)):
                wrong.append(f"{path}:{line_of(code, found.start())}: {PROC[1]}")
    assert wrong == [], "\n".join(wrong)


def test_exceptions_are_still_needed():
    for place, _ in EXCEPTIONS:
        assert (ROOT / place).exists(), f"{place} is gone: drop its exception"


CHECKS = re.compile(r"\b(EXPECT_|ASSERT_|RC_ASSERT|ADD_FAILURE|FAIL\s*\(|SUCCEED\s*\()")
TEST = re.compile(r"^[ \t]*(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\s*\(([^)]*)\)",
                  re.MULTILINE)
FUNCTION = re.compile(r"^[ \t]*[A-Za-z_][\w:<>,&*\t ]*[ &*](\w+)\((?:[^;{}]|\{\})*?\)(?: const)?(?: override)?\s*\{", re.MULTILINE)


def checking_helpers(code: str) -> set[str]:
    """Functions of a test file that check something, by themselves or through another one."""
    bodies = {}
    for found in FUNCTION.finditer(code):
        if not TEST.match(code, found.start()) and not re.match(r"\s*(else|return)\b", found.group(0)):
            bodies[found.group(1)] = block_from(code, found.end() - 1)
    checking = {name for name, body in bodies.items() if CHECKS.search(body)}
    while True:
        more = {name for name, body in bodies.items()
                if name not in checking and any(re.search(rf"\b{other}\s*\(", body) for other in checking)}
        if not more:
            return checking
        checking |= more


def test_every_test_checks_something():
    idle = []
    count = 0
    for path in sources():
        if not path.name.endswith("_test.cc"):
            continue
        code = bare(text(path))
        helpers = checking_helpers(code)
        tests = list(TEST.finditer(code))
        assert tests, f"{path} has no test"
        for found in tests:
            count += 1
            body = block_from(code, found.end())
            if not CHECKS.search(body) and not any(re.search(rf"\b{name}\s*\(", body) for name in helpers):
                idle.append(f"{path}: {found.group(1)}")
    assert count > 0
    assert idle == [], "\n".join(idle)


def test_nothing_is_left_for_later():
    words = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3]) + r")\b")
    left = []
    for path in files():
        if path.name == "LICENSE" or path.parts[0] == "fuzz" and "corpus" in path.parts:
            continue
        for number, line in enumerate(text(path).splitlines(), 1):
            if words.search(line):
                left.append(f"{path}:{number}: {line.strip()[:100]}")
    assert left == [], "\n".join(left)


def test_every_fuzz_target_has_a_corpus():
    for name in re.findall(r"af_fuzzer\((\w+)", text("fuzz/CMakeLists.txt")):
        corpus = ROOT / "fuzz" / "corpus" / name
        assert corpus.is_dir() and any(corpus.iterdir()), f"fuzz/corpus/{name} is empty"


def test_every_corpus_has_a_fuzz_target():
    names = set(re.findall(r"af_fuzzer\((\w+)", text("fuzz/CMakeLists.txt")))
    assert {path.name for path in (ROOT / "fuzz" / "corpus").iterdir()} == names


def test_scripts_end_on_errors():
    for path in ("dev", ".ci/run"):
        assert re.search(r"^set -eu", text(path), re.MULTILINE), path


def test_paths_that_people_are_told_are_those_that_the_package_installs():
    told = set()
    for path in [ROOT / "README.md", *(ROOT / "docs" / "reference").glob("*.md")]:
        told |= set(re.findall(r"(?<![\w.])/usr/(?:bin|lib)/[\w/-]*antifreeze[\w/-]*", path.read_text()))
    installs = (ROOT / "packaging" / "build-deb").read_text()
    for path in told:
        folder, _, name = path.rpartition("/")
        assert re.search(rf'-t "\$root{folder}" .*\$bin/{name}"', installs), f"packaging/build-deb installs no {path}"
    assert told, "the pattern finds nothing any more"
