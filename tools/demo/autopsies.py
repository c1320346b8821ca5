"""How three captured boots ended, and those of this machine: what `antifreeze autopsy` says of journals that are there."""

import json
import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "e2e"))

from lib import proc  # noqa: E402

BOOTS = proc.ROOT / "testdata" / "boots"
# Real journals of small virtual machines: name, what was done to it.
CAPTURED = {
    "xid79-then-cut": "a GPU falls off the bus, and the power goes six seconds later",
    "oom-then-cut-sync2s": "one process takes all memory, then the power goes",
    "panic-kdump": "the kernel panics, and a second kernel saves its last words",
}
HERE = ("/var/log/journal", "/run/log/journal")


class CannotTell(Exception):
    """The program gave no answer."""


def unpack(packed: pathlib.Path, place: pathlib.Path) -> pathlib.Path:
    """A captured root as the program reads it: kept files are compressed."""
    shutil.copytree(packed / "fs", place, symlinks=True)
    for path in list(place.rglob("*.xz")):
        path.with_suffix("").write_bytes(lzma.decompress(path.read_bytes()))
        path.unlink()
    return place


def ask(*words: str) -> dict:
    done = subprocess.run([proc.program("antifreeze"), "autopsy", "--json", *words], capture_output=True, text=True,
                          timeout=60, check=False)
    if done.returncode not in (0, 1):
        raise CannotTell(done.stderr.strip() or f"antifreeze ended with {done.returncode}")
    return json.loads(done.stdout)


def counted(answer: dict) -> list[dict]:
    return [boot for boot in answer["boots"] if not boot["capture_kernel"]]


def about(boot: dict) -> list[str]:
    """How it ended, why, and what to do, a line each."""
    lines = [f"ended: {boot['ending'].replace('_', ' ')} ({boot['confidence']:.0%} sure)"]
    if boot["causes"]:
        cause = boot["causes"][0]
        lines.append(f"cause: {cause['id'].replace('_', ' ')}: {cause['first_event']['line']}")
    if boot["fixes"]:
        lines.append(f"to do: {boot['fixes'][0]['text']}")
    return lines


def captured() -> list[tuple[str, list[str]]]:
    """What was done to each machine, and what the program finds in what is left of it."""
    found = []
    with tempfile.TemporaryDirectory(prefix="af-demo-") as folder:
        for name, story in CAPTURED.items():
            root = unpack(BOOTS / name, pathlib.Path(folder) / name)
            wanted = json.loads((BOOTS / name / "label.json").read_text())["boot_id"]
            boots = {boot["boot_id"]: boot for boot in counted(ask("--root", str(root)))}
            if wanted not in boots:
                raise CannotTell(f"{name}: its boot was not found")
            found.append((story, about(boots[wanted])))
    return found


def this_machine() -> list[str] | None:
    """The newest boots of this machine, or None where it keeps no journal that we may read."""
    if not any(os.path.isdir(place) and os.listdir(place) for place in HERE):
        return None
    boots = counted(ask())
    if not boots:
        return None
    return [f"boot {boot['index']:>3}  {(boot['started'] or 'unknown')[:16]}  {boot['ending'].replace('_', ' ')}"
            for boot in boots[-5:]]
