"""From a machine's boot to a folder of testdata/boots: fs/ (a root), cap/ (what tools said), console.log.xz, label.json."""

import json
import lzma
import pathlib
import re
import shutil
import subprocess

from machine import Broken, Machine

BIGGEST_CONSOLE = 150_000


def collect(machine: Machine, folder: pathlib.Path, console_from: int = 0) -> dict[str, str]:
    """Runs `collect` in the guest and unpacks its tar. Returns the boots of list-boots: id to what the journal calls it."""
    machine.send("collect")
    machine.wait("COLLECT-DONE", 180)
    shutil.rmtree(folder, ignore_errors=True)
    root = folder / "fs"
    root.mkdir(parents=True)
    subprocess.run(["tar", "-xf", str(machine.out), "--no-same-owner", "-C", str(root)], check=True, stderr=subprocess.DEVNULL)
    (root / "cap").rename(folder / "cap")
    subprocess.run(["chmod", "-R", "u+rwX,go+rX", str(folder)], check=True)
    for journal in root.rglob("*.journal*"):
        pack(journal)
    with open(machine.console, "rb") as file:
        file.seek(console_from)
        (folder / "console.log").write_bytes(file.read()[-BIGGEST_CONSOLE:])
    pack(folder / "console.log")
    boots = re.findall(r"^\s*(-?\d+) ([0-9a-f]{32}) ", (folder / "cap/list-boots.txt").read_text(), re.M)
    if not boots:
        raise Broken("the collecting boot lists no boots")
    return {boot_id: number for number, boot_id in boots}


def pack(path: pathlib.Path) -> None:
    with lzma.open(f"{path}.xz", "wb", preset=6) as packed:
        packed.write(path.read_bytes())
    path.unlink()


def write_label(folder: pathlib.Path, label: dict) -> None:
    (folder / "label.json").write_text(json.dumps(label, indent=1, ensure_ascii=False) + "\n")
