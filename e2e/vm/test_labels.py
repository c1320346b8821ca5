"""The captured boots say what they are: labels, files and the page about them agree."""

import json
import lzma
import pathlib
import re

import pytest

import table

BOOTS = table.ROOT / "testdata" / "boots"
CASES = sorted(path.parent for path in BOOTS.glob("*/label.json"))
ENDINGS = set("""clean shutdown_hang panic oops_reset oom memory_wedge driver_wedge gpu_lost gpu_error memory_hardware pcie nvlink storage thermal
power watchdog_reset lockup userspace_kill traceless insufficient_evidence running""".split())
CAUSES = set("""xid sxid gpu_off_bus gpu_init_failed gsp_hang nv_no_memory startup_collision hung_task soft_lockup hard_lockup rcu_stall oom oom_memcg
userspace_oom_kill panic oops mce edac_ce bert hw_memory_error pcie_fatal nccl_timeout amdgpu_reset storage thermal throttle power
kdump_incomplete""".split())


def label_of(case: pathlib.Path) -> dict:
    return json.loads((case / "label.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_label_and_files_agree(case):
    label = label_of(case)
    assert label["case"] == case.name
    counted = [boot for boot in label["boots"] if not boot.get("capture_kernel")]
    for boot in [label, *counted]:
        assert boot["ending_id"] in boot["accept"]
        assert set(boot["accept"]) <= ENDINGS
        assert set(boot["causes"]) <= CAUSES
        if boot["ending_id"] in ("clean", "running"):
            assert not boot["causes"]
    assert label["boot_id"] in [boot["boot_id"] for boot in counted]

    listed = re.findall(r"^\s*-?\d+ ([0-9a-f]{32}) ", (case / "cap" / "list-boots.txt").read_text(), re.M)
    assert listed and set(listed) <= {boot["boot_id"] for boot in label["boots"]}, "the journal has a boot that the label does not know"
    wtmp = (case / "fs/var/log/wtmp").read_bytes()
    assert wtmp and len(wtmp) % 384 == 0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_journal_is_a_journal(case):
    packed = list(case.glob("fs/var/log/journal/*/*.journal*.xz"))
    assert packed
    for path in packed:
        with lzma.open(path) as file:
            assert file.read(8) == b"LPKSHHRH", path


def test_the_page_is_made_from_the_labels():
    assert table.PAGE.read_text() == table.page()
