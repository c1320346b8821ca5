"""`--json` of autopsy and explain keep to their published schemas, on every text log and on captured boots."""

import json
import lzma
import pathlib
import shutil
import subprocess

import pytest

from lib import proc
from schema_check import check

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = sorted((ROOT / "testdata" / "logs").iterdir())
BOOTS = [ROOT / "testdata" / "boots" / name for name in ("panic-kdump", "xid62-hung-uvm-after-bert", "powercut-idle")]


def schema(name: str) -> dict:
    return json.loads((ROOT / "docs" / "reference" / "schemas" / f"{name}.v1.json").read_text())


def answer(*words: str) -> dict:
    done = subprocess.run([proc.program("antifreeze"), *words, "--json"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)
    check(found, schema(words[0]))
    return found


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_text_logs(log):
    label = json.loads((log / "label.json").read_text())
    boots = {boot["index"]: boot for boot in answer("autopsy", "--log", str(log / "log.txt"))["boots"]}
    assert boots[label["index"]]["ending"] in label["accept"]
    if label["ending_id"] == "clean":
        assert boots[label["index"]]["causes"] == []
    for boot in boots.values():
        for cause in boot["causes"]:
            assert "NVRM: Xid (" not in cause["first_event"]["line"] or isinstance(cause["fields"]["xid"], int)


@pytest.mark.parametrize("case", BOOTS, ids=lambda path: path.name)
def test_captured_boots(case, tmp_path):
    root = tmp_path / "root"
    shutil.copytree(case / "fs", root, symlinks=True)
    for packed in root.rglob("*.xz"):
        packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
        packed.unlink()
    label = json.loads((case / "label.json").read_text())
    found = answer("autopsy", "--root", str(root))
    one = next(boot for boot in found["boots"] if boot["boot_id"] == label["boot_id"])
    assert one["ending"] in label.get("accept", [label["ending_id"]])


def test_explanations():
    ids = answer("explain")["ids"]
    assert len(ids) > 300 and len(set(ids)) < len(ids)  # oom is an ending and a cause
    for name in sorted(set(ids)):
        assert answer("explain", name)["explanations"], name


def test_an_unknown_id_is_a_usage_error_that_names_the_nearest():
    done = subprocess.run([proc.program("antifreeze"), "explain", "tracelss"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'traceless'?" in done.stderr and done.stderr.count("\n") == 1
