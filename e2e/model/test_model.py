"""The gate's protocol under spin (src/gate/model/gate-protocol.pml; docs/gate-protocol.md explains it).

The search must be complete and find nothing; and with any one rule taken out it must find something, or it would prove
nothing. AF_LONG=1 adds the configurations that take minutes.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

MODEL = pathlib.Path(__file__).resolve().parents[2] / "src" / "gate" / "model" / "gate-protocol.pml"
LONG = bool(os.environ.get("AF_LONG"))
MEMORY_MB = 3000

pytestmark = pytest.mark.skipif(not shutil.which("spin") or not shutil.which("cc"), reason="spin or cc is not installed")


class Search:
    """What pan printed."""

    def __init__(self, text: str):
        self.text = text
        self.errors = int(re.search(r"errors: (\d+)", text).group(1))
        self.states = int(re.search(r"(\d+) states, stored", text).group(1))
        self.complete = "Search not completed" not in text and "truncated" not in text and "out of memory" not in text


def search(folder: pathlib.Path, defines: list[str], liveness: bool = False, limit_s: int = 300) -> Search:
    """Translates, compiles and runs the model with those -D switches."""
    flags = [f"-D{define}" for define in defines] + (["-DCYCLIC"] if liveness else [])
    subprocess.run(["spin", "-a", *flags, str(MODEL)], cwd=folder, check=True, capture_output=True, timeout=60)
    kind = [] if liveness else ["-DSAFETY"]
    subprocess.run(["cc", "-O2", "-w", *kind, "-DCOLLAPSE", f"-DMEMLIM={MEMORY_MB}", "-o", "pan", "pan.c"], cwd=folder,
                   check=True, timeout=120)
    how = ["-a", "-f", "-N", "entry"] if liveness else []
    done = subprocess.run(["./pan", *how, "-m400000"], cwd=folder, capture_output=True, text=True, timeout=limit_s, check=False)
    return Search(done.stdout)


def test_no_two_start_at_once_and_nobody_is_stuck_with_one_kill_at_every_step(tmp_path):
    found = search(tmp_path, [])
    assert found.errors == 0, found.text
    assert found.complete, found.text
    assert found.states > 8_000_000, "the model shrank: it no longer covers what it did"


@pytest.mark.parametrize("who", [0, 1, 2])
def test_everyone_who_queues_enters_at_last(tmp_path, who):
    found = search(tmp_path, [f"WHO={who}", "KILLS=0"], liveness=True)
    assert found.errors == 0, found.text
    assert found.complete, found.text
    assert found.states > 50_000


@pytest.mark.parametrize("rule", ["NOQ", "NOWRECK", "NOKEEPER", "EDGE"])
def test_the_model_fails_without_the_rule(tmp_path, rule):
    found = search(tmp_path, [f"BUG_{rule}"])
    assert found.errors > 0, f"without the rule {rule} nothing goes wrong: the model does not test it"


@pytest.mark.skipif(not LONG, reason="minutes: only with AF_LONG=1")
@pytest.mark.parametrize(
    ("defines", "liveness"),
    [(["WHO=0"], True), (["WHO=1"], True), (["WHO=2"], True), (["N=4", "KILLS=0"], False),
     (["SKIP=1", "ATOMICQ"], False), (["FREEZE=1", "YIELDS=1", "ATOMICQ", "KILLS=0"], False)],
    ids=lambda value: "-".join(value) if isinstance(value, list) else ("liveness" if value else "safety"))
def test_larger_configurations(tmp_path, defines, liveness):
    found = search(tmp_path, defines, liveness, limit_s=1800)
    assert found.errors == 0, found.text
    assert found.complete, found.text
