"""`autopsy --redact`: nothing that names a machine, a person or a secret is shown, and the verdict stays what it was."""

import json
import lzma
import pathlib
import shutil
import subprocess

import pytest

from lib import proc

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECRETS = ["goldfinch", "akemi", "198.51.100.7", "2001:db8:77::5", "3c:ec:ef:12:34:56", "hf_abcdefghijklmnopqrstuvwx", "hunter22",
           "5d2f0c1a-7e3b-4b6e-9a55-0d3c8f2b7e10", "S5GXNX0R812345", "akemi.mori@example.jp", "978278550c3048e0a6136d33857a4525"]
LINES = """Mar 02 08:00:00 goldfinch kernel: Linux version 6.8.0-60-generic
Mar 02 08:00:01 goldfinch kernel: nvme0n1: Serial Number: S5GXNX0R812345
Mar 02 08:00:02 goldfinch kernel: eth0: renamed from veth, 3c:ec:ef:12:34:56
Mar 02 08:00:03 goldfinch systemd[1]: Set up machine 978278550c3048e0a6136d33857a4525 (goldfinch.lab.internal).
Mar 02 08:{minute:02}:00 goldfinch sshd[811]: Accepted publickey for akemi from 198.51.100.7 port 50122 ssh2
Mar 02 08:{minute:02}:01 goldfinch sshd[811]: Accepted publickey for akemi from 2001:db8:77::5 port 50122 ssh2
Mar 02 08:{minute:02}:02 goldfinch postfix[812]: to akemi.mori@example.jp, user akemi, on Goldfinch
Mar 02 08:{minute:02}:03 goldfinch vllm[900]: args: --api-key hunter22 HF_TOKEN=hf_abcdefghijklmnopqrstuvwx --model /home/akemi/m
Mar 02 08:{minute:02}:04 goldfinch kernel: NVRM: GPU at PCI:0000:01:00: GPU-5d2f0c1a-7e3b-4b6e-9a55-0d3c8f2b7e10
Mar 02 08:{minute:02}:05 goldfinch kernel: NVRM: Xid (PCI:0000:01:00): 79, pid=4021, name=VLLM::EngineCor, GPU has fallen off the bus.
"""


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "goldfinch.log"
    path.write_text(LINES.format(minute=40))
    return path


def run(*words: str) -> str:
    done = subprocess.run([proc.program("antifreeze"), "autopsy", *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("form", [["--json"], ["--html", "-"], ["-b", "0"], ["--all"], ["--lang", "ja"], ["--lang", "zh", "-b", "0"]],
                         ids="-".join)
def test_nothing_that_names_anybody_is_shown(log, form):
    text = run("--log", str(log), "--redact", *form).lower()
    assert [secret for secret in SECRETS if secret.lower() in text] == []
    if "--all" not in form:
        assert "xid" in text and "0000:01:00" in text


def test_without_it_everything_is_there(log):
    text = run("--log", str(log), "-b", "0")
    assert "198.51.100.7" in text and "akemi" in text


def test_equal_names_stay_equal(log):
    text = run("--log", str(log), "--redact", "--json")
    assert "Accepted" not in text or text.count("user-1") >= 1
    page = run("--log", str(log), "--redact", "-b", "0")
    assert "for user-1 from ip-1" in page and "for user-1 from ip-2" in page


@pytest.mark.parametrize("case", ["panic-kdump", "xid62-hung-uvm-after-bert", "oom-then-cut-sync2s", "bert-dram"])
def test_the_verdict_stays(case, tmp_path):
    root = tmp_path / "root"
    shutil.copytree(ROOT / "testdata" / "boots" / case / "fs", root, symlinks=True)
    for packed in root.rglob("*.xz"):
        packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
        packed.unlink()

    def told(*words: str) -> list:
        found = json.loads(run("--root", str(root), "--json", *words))
        return [(boot["boot_id"], boot["ending"], boot["confidence"], [(cause["id"], cause["score"]) for cause in boot["causes"]],
                 [note["id"] for note in boot["notes"]], [one["id"] for one in boot["evidence"]]) for boot in found["boots"]]
    assert told("--redact") == told()
    assert "sparkvm" not in run("--root", str(root), "--json", "--redact")
