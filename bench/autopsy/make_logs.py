"""Invents what is read: a syslog and a journal of a host with containers, the same every time."""

import pathlib
import random
import subprocess

SEED = 5
QUIET = [
    "docker0: port {}(veth{:06x}) entered forwarding state",
    "veth{:06x}: renamed from eth{}",
    "IPv6: ADDRCONF(NETDEV_CHANGE): veth{:06x}: link becomes ready {}",
    "audit: type=1400 audit({}.{}:77): apparmor=\"ALLOWED\" operation=\"open\" profile=\"snap.docker\"",
    "usb 1-{}: new high-speed USB device number {} using xhci_hcd",
    "perf: interrupt took too long ({} > {}), lowering kernel.perf_event_max_sample_rate",
    "nvidia-uvm: Loaded the UVM driver, major device number {} {}",
    "eth{}: Link is Up - 1Gbps/Full - flow control rx/tx {}",
]
TALK = [
    "dockerd[{}]: time=\"2026-11-30T10:00:00Z\" level=info msg=\"ignoring event\" container={:012x}",
    "vllm[{}]: INFO [loggers.py:{}] Engine 000: Avg prompt throughput: 120.0 tokens/s, Running: 3 reqs",
    "sshd[{}]: Connection from 192.0.2.7 port {} on 192.0.2.1 port 22",
    "NetworkManager[{}]: <info>  [1790000{}.1] dhcp4 (eth0): state changed new lease",
]
# One line in fifty holds a sign, most of them harmless: what a busy syslog is like.
SIGNS = [
    "CRON[{}]: (root) CMD (test -x /usr/sbin/anacron || run-parts /etc/cron.hourly {})",
    "systemd[1]: Started session-{}.scope - Session {} of User spark.",
    "systemd[1]: Starting apt-daily-{}.service - run {}...",
    "kernel: NVRM: Xid (PCI:0000:01:00): 31, pid={}, name=python{}, Ch 00000008",
    "kernel: pcieport 0000:00:1c.{}: AER: Corrected error received: 0000:00:1c.{}",
]


def line(rng: random.Random, second: float, kernel_only: bool = False) -> tuple[str, str]:
    """Sender and message."""
    a, b = rng.randrange(1, 60000), rng.randrange(1, 60000)
    kind = rng.random()
    if kind < 0.02:
        text = rng.choice(SIGNS[3:] if kernel_only else SIGNS).format(a, b)
    elif kernel_only or kind < 0.6:
        text = "kernel: " + rng.choice(QUIET).format(a, b)
    else:
        text = rng.choice(TALK).format(a, b)
    sender, _, message = text.partition(": ")
    return sender, message


def syslog(path: pathlib.Path, size_bytes: int) -> None:
    rng = random.Random(SEED)
    written, second = 0, 0.0
    with path.open("w") as out:
        while written < size_bytes:
            lines = []
            for _ in range(20000):
                second += rng.random() * 0.02
                whole = int(second)
                sender, message = line(rng, second)
                clock = f"[{second:12.6f}] " if sender == "kernel" else ""
                lines.append(f"Nov {1 + whole // 86400 % 30:2d} {whole // 3600 % 24:02d}:{whole // 60 % 60:02d}:{whole % 60:02d} "
                             f"spark {sender}: {clock}{message}\n")
            text = "".join(lines)
            out.write(text)
            written += len(text)


def journal(path: pathlib.Path, boots: int, entries_a_boot: int) -> None:
    """A real journal file, written by systemd-journal-remote."""
    rng = random.Random(SEED)
    writer = subprocess.Popen(["/lib/systemd/systemd-journal-remote", f"--output={path}", "-"], stdin=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    wall = 1_780_000_000_000_000
    for _ in range(boots):
        boot_id, mono = f"{rng.getrandbits(128):032x}", 0
        wall += 60_000_000
        for begin in range(0, entries_a_boot, 5000):
            parts = []
            for _ in range(min(5000, entries_a_boot - begin)):
                step = rng.randrange(1, 40000)
                wall, mono = wall + step, mono + step
                _, message = line(rng, mono / 1e6, kernel_only=True)
                parts.append(f"__REALTIME_TIMESTAMP={wall}\n__MONOTONIC_TIMESTAMP={mono}\n_BOOT_ID={boot_id}\n_TRANSPORT=kernel\n"
                             f"PRIORITY=6\nSYSLOG_FACILITY=0\nSYSLOG_IDENTIFIER=kernel\n_HOSTNAME=spark\n"
                             f"_SOURCE_MONOTONIC_TIMESTAMP={mono}\nMESSAGE={message}\n\n")
            writer.stdin.write("".join(parts).encode())
    writer.stdin.close()
    if writer.wait() != 0:
        raise SystemExit("systemd-journal-remote could not write the journal")
