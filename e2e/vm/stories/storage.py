"""Endings around disks and the journal itself."""

import time

from machine import Boot, Machine
from story import Act, cut, let_write

DATA = "mkfs.ext4 -q -F /dev/vdc && mkdir -p /mnt/models && mount /dev/vdc /mnt/models"


def _data_disk_gone(machine: Machine) -> None:
    machine.run(DATA, 90)
    machine.send("while :; do dd if=/dev/zero of=/mnt/models/cache bs=1M count=8 conv=fsync status=none 2>/dev/null; sleep 1; done & echo away")
    time.sleep(4)
    since = machine.console_size()
    machine.monitor("drive_del disk2")
    machine.wait_console(r"I/O error, dev vdc|Aborting journal", 60, since)
    time.sleep(10)
    cut(machine)


def _data_disk_stalls(machine: Machine) -> None:
    machine.run(DATA + "; sysctl -qw kernel.hung_task_timeout_secs=8 kernel.hung_task_check_interval_secs=4", 90)
    since = machine.console_size()
    machine.monitor("block_set_io_throttle vd2 1 0 0 1 0 0")
    machine.send("for i in 1 2 3; do (dd if=/dev/zero of=/mnt/models/cache$i bs=1M count=12 conv=fsync status=none &) ; done; echo away")
    machine.wait_console(r"blocked for more than \d+ seconds", 120, since)
    time.sleep(12)
    cut(machine)


def _root_stalls(machine: Machine) -> None:
    machine.run("sysctl -qw kernel.hung_task_timeout_secs=8 kernel.hung_task_check_interval_secs=4")
    let_write(machine, 5)
    since = machine.console_size()
    machine.monitor("block_set_io_throttle vd0 1 0 0 1 0 0")
    machine.send("dd if=/dev/zero of=/var/tmp/x bs=1M count=40 conv=fsync status=none & echo away")
    machine.wait_console(r"blocked for more than \d+ seconds", 120, since)
    time.sleep(8)
    cut(machine)


def _root_read_only(machine: Machine) -> None:
    let_write(machine, 5)
    machine.run("echo bad block bitmap >/sys/fs/ext4/vda/trigger_fs_error")
    time.sleep(15)
    cut(machine)


def _journald_killed(machine: Machine) -> None:
    machine.run("systemctl stop systemd-journald.socket systemd-journald-dev-log.socket systemd-journald-audit.socket systemd-journald.service")
    time.sleep(30)
    cut(machine)


STORIES = {
    "disks": [
        Act("data-disk-errors-then-cut", "the data disk is taken away under a writing service: I/O errors, journal of its file system aborted; power cut "
            "10 s later", "storage", _data_disk_gone, causes=["storage"]),
        Act("data-disk-stall-then-cut", "the data disk answers once a second: hung-task reports in ext4; power cut 12 s later", "storage", _data_disk_stalls,
            accept=["lockup"], causes=["storage", "hung_task"]),
        Act("root-stall-then-cut", "the root disk answers once a second: the reports stand on the console alone; power cut", "traceless", _root_stalls,
            accept=["storage", "insufficient_evidence"], causes=["storage", "hung_task"],
            notes=["no cause is right as well: the disk that stalls takes the evidence with it"]),
        Act("root-read-only-then-cut", "an ext4 error on the root file system: mounted read-only, journal ends, power cut 15 s later; the next mount says so",
            "storage", _root_read_only, accept=["insufficient_evidence"], causes=["storage"],
            synthetic="the error is triggered through /sys/fs/ext4; what follows is the kernel's"),
        Act("journald-stopped-then-cut", "journald stopped by hand, power cut 30 s later", "insufficient_evidence", _journald_killed,
            accept=["traceless"], boot=Boot()),
    ],
}
