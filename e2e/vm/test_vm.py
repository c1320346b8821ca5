"""A real boot, a real power cut, and what the boot after it finds. Two boots of a small machine: one to three minutes.

The image takes five more minutes to build and the network; only AF_LONG=1 builds it by itself.
"""

import json
import lzma
import os

import pytest

import image
from machine import Boot
from story import Act, cut, let_write, play

SIGNATURE = b"LPKSHHRH"


@pytest.fixture(scope="module")
def ready_image():
    reason = image.why_not()
    if reason:
        pytest.skip(reason)
    if not os.environ.get("AF_LONG") and not (image.CACHE / "base.qcow2").exists():
        pytest.skip("no image in build/vm: python3 e2e/vm/image.py builds it in five minutes, and so does AF_LONG=1")
    return image.build()


def _mark_and_cut(machine):
    machine.run("logger -t vllm mark-that-must-survive")
    let_write(machine, 5)
    machine.send("logger -t vllm last-words")
    cut(machine)


def test_a_power_cut_leaves_a_boot_without_an_end(ready_image, tmp_path):
    act = Act("cut", "power cut while idle", "traceless", _mark_and_cut, boot=Boot(sync=2))
    assert play([act], tmp_path / "run", tmp_path / "made") == ["cut"]
    made = tmp_path / "made" / "cut"
    label = json.loads((made / "label.json").read_text())

    assert [row["ending_id"] for row in label["boots"]] == ["traceless", "running"]
    assert label["in_journal"], "the boot that was cut has no entry in the journal"
    collected_by = (made / "fs/proc/sys/kernel/random/boot_id").read_text().strip().replace("-", "")
    assert label["boots"][1]["boot_id"] == collected_by != label["boot_id"]

    journals = [lzma.open(path).read() for path in made.rglob("*.journal*.xz")]
    assert journals and all(text.startswith(SIGNATURE) for text in journals)
    assert any(b"mark-that-must-survive" in text for text in journals)
    tail = (made / "cap/prev-boot-tail.txt").read_text()
    assert "mark-that-must-survive" in tail
    assert "Journal stopped" not in tail
    assert "crash" in (made / "cap/last-x.txt").read_text()
    assert (made / "fs/sys/class/watchdog/watchdog0/bootstatus").read_text().strip() == "0"
    assert (made / "fs/var/log/wtmp").stat().st_size > 0
