"""Writes docs/boots.md from the labels in testdata/boots: `python3 e2e/vm/table.py`; with --check it only compares."""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "boots.md"
HEAD = """# Real boots with known endings

`testdata/boots` holds captured boots of a small virtual machine: a real kernel, a real systemd, real power cuts. `e2e/vm` made them and
makes more (`python3 e2e/vm/make_boots.py` lists the stories). In each folder:

- `fs/`: what the next boot finds, as a root for `--root`. The journal's files are packed with xz: unpack them first.
- `label.json`: the boot of interest (`boot_id`), its ending (`ending_id`; `accept` lists every ending that counts as right), the first
  causes that count as right (`causes`, any of them), what else should be noticed (`notes`), which parts are synthetic. `boots` says the
  same of every boot that the history has; one without `boot_id` left no entry in the journal; capture kernels are marked and not counted.
- `cap/`: what `journalctl`, `last` and `ls` said. `console.log.xz`: the serial console, the truth that the owner of a real host lacks.

Made by `table.py` from the labels.

| case | what was done | ending | first cause | synthetic |
|---|---|---|---|---|
"""


def row(label: dict) -> str:
    endings = label["ending_id"] + "".join(f", or {one}" for one in label["accept"] if one != label["ending_id"])
    cells = [label["case"], label["detail"], endings, " or ".join(label["causes"]) or "none", label["synthetic_parts"]]
    return "| " + " | ".join(cell.replace("|", "/").replace("\n", " ") for cell in cells) + " |\n"


def page() -> str:
    labels = [json.loads(path.read_text()) for path in sorted((ROOT / "testdata" / "boots").glob("*/label.json"))]
    return HEAD + "".join(row(label) for label in labels)


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.read_text() == page() else f"{PAGE} is not what the labels say: run {__file__}")
    PAGE.write_text(page())
