"""One gated container is hostile: root in it does to the gate directory what it can. The others start one at a time all the same, or the
overlap is named; nothing of theirs or of the host's crashes."""

import json
import subprocess

import pytest

from lib import oracle, proc
from lib.world import MS

ACTS = {
    "fill": 'while :; do echo x >"$G/f$i"; i=$((i+1)); busybox dd if=/dev/zero of="$G/f$i" bs=64k count=4 2>/dev/null; done',
    "links": 'while :; do i=$((i+1)); busybox ln -s /etc/shadow "$G/t-1000000000000000-0000000$i"; busybox sleep 0.01; done',
    "chmod": 'while :; do busybox chmod 000 "$G"/t-* 2>/dev/null; busybox sleep 0.05; done',
    "flood": 'while :; do i=$((i+1)); echo y >"$G/.$i"; busybox mkdir "$G/t-10000000000000$i"; done',
    "truncate": 'while :; do for f in "$G"/t-*; do : >"$f"; done; busybox sleep 0.2; done',
    "delete": 'while :; do busybox rm -f "$G"/t-*; busybox sleep 0.2; done',
}


@pytest.mark.parametrize("act", ACTS)
def test_others_start_one_at_a_time_or_the_overlap_is_named(engine, image, site, act):
    host = site({"a1": 2, "b1": 1})
    script = "G=/run/antifreeze/gate; i=0; " + ACTS[act]
    host.names.append("hostile")
    engine.create("hostile", image("musl"), ["/bin/busybox", "sh", "-c", script],
                  {"ANTIFREEZE": "1", "ANTIFREEZE_READY": "none", "ANTIFREEZE_SETTLE": "0s", "ANTIFREEZE_GATHER": "0s",
                   "ANTIFREEZE_MEMINFO": "/gpu/meminfo"}, Runtime="antifreeze", Binds=host.binds())
    engine.start_container("hostile")
    proc.until(lambda: "ready" in host.log().states("hostile") or act in ("fill", "flood") and
               "granted" in engine.logs("hostile"), 20, host.report)
    for name in ("a1", "b1"):
        host.server(name, image("scratch"), policy="always", env={"ANTIFREEZE_MAX_FAILURES": "0"})
        engine.start_container(name)
    status = [proc.program("antifreeze"), "gate", "status", "--json", "--gate-dir", str(host.gate_dir)]

    def look():
        done = subprocess.run(status, capture_output=True, text=True, timeout=20, check=False)
        assert done.returncode in (0, 1, 65, 69, 73, 75), done.stderr  # says what is wrong; never dies of a signal
        if done.stdout.strip():
            json.loads(done.stdout)
        return len([a for a in host.attempts() if a.ready and a.service in ("a1", "b1")]) >= 2
    ready = True
    try:
        proc.until(look, 12, host.report, every=0.3)
    except proc.TooLate:
        ready = False  # delayed: bounded by the hostile container's life, below
    engine.api("DELETE", "/containers/hostile?force=1")
    if not ready and act == "truncate":
        # A live ticket that nobody can read holds everything, for half an hour at most; the wait is named, and nothing overlaps.
        assert "unreadable ticket" in engine.logs("a1") + engine.logs("b1")
        assert not [a for a in host.attempts() if a.failure]
        print("truncate: delayed, bounded by the half hour of an unreadable ticket")
        return
    if not ready:
        for path in host.gate_dir.iterdir():  # what `gate setup` and a reboot would clear
            if path.name.startswith(("f", ".")) and path.is_file():
                path.unlink()
            elif path.is_dir():
                path.rmdir()
            elif path.is_symlink():
                path.unlink()
        proc.until(look, 40, host.report, every=0.3)
    try:
        oracle.check_windows([a for a in host.attempts() if a.service in ("a1", "b1")], 200 * MS)
    except oracle.Violation:
        assert "tampered" in engine.logs("a1") + engine.logs("b1"), host.report()
    print(f"{act}: {'not delayed' if ready else 'delayed while it lived'}")
