"""Endings that the kernel itself reports: lockups, stalls, panics, memory exhaustion."""

import time

from machine import Boot, Machine
from story import Act, cut, let_write, power_off


def _soft_lockup(machine: Machine) -> None:
    machine.run("sysctl -qw kernel.watchdog_thresh=3")
    since = machine.console_size()
    machine.send("(echo softlockup 60 >/dev/nvidia-uvm) & echo away")
    machine.wait_console(r"soft lockup - CPU#\d+ stuck", 60, since)
    time.sleep(14)
    cut(machine)


def _rcu_stall(machine: Machine) -> None:
    machine.run("sysctl -qw kernel.watchdog_thresh=0; echo 5 >/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout; "
                "echo 0 >/sys/module/rcupdate/parameters/rcu_cpu_stall_suppress")
    since = machine.console_size()
    machine.send("(echo softlockup 60 >/dev/nvidia-uvm) & echo away")
    machine.wait_console(r"rcu: INFO: rcu_\w+ (self-)?detected", 90, since)
    time.sleep(12)
    cut(machine)


def _hung(machine: Machine, options: str = "") -> None:
    machine.run(f"sysctl -qw kernel.hung_task_timeout_secs=8 kernel.hung_task_check_interval_secs=4 {options}")
    machine.send("(exec 9>/dev/nvidia-uvm; echo hang >&9; exec 9>&-) & echo away")


def _hung_panic(machine: Machine) -> None:
    since = machine.console_size()
    _hung(machine, "kernel.hung_task_panic=1")
    machine.wait_console("Kernel panic", 90, since)


def _panic(setup: str, trigger: str):
    def do(machine: Machine) -> None:
        since = machine.console_size()
        if setup:
            machine.run(setup)
        let_write(machine, 3)
        machine.send(trigger)
        machine.wait_console("Kernel panic", 120, since)
    return do


def _nmi(machine: Machine) -> None:
    machine.run("sysctl -qw kernel.unknown_nmi_panic=1 kernel.panic_on_unrecovered_nmi=1")
    let_write(machine, 3)
    since = machine.console_size()
    machine.monitor("nmi")
    machine.wait_console("Kernel panic", 60, since)


def _mce(machine: Machine) -> None:
    let_write(machine, 3)
    since = machine.console_size()
    machine.monitor("mce 0 8 0xbe00000000010090 5 0x12345000 0x8c")
    machine.wait_console("Kernel panic", 60, since)


def _oom_cut(machine: Machine) -> None:
    since = machine.console_size()
    machine.send("stress-ng --vm 2 --vm-bytes 500M --vm-keep --oomable --timeout 300 >/dev/null 2>&1 & "
                 "sleep 1; tail /dev/zero & sleep 6; tail /dev/zero & echo away")
    machine.wait_console("Out of memory: Killed process", 120, since)
    time.sleep(15)
    cut(machine)


def _kdump(machine: Machine) -> None:
    machine.run("sed -i 's/^#*USE_KDUMP=.*/USE_KDUMP=1/' /etc/default/kdump-tools; systemctl start kdump-tools; kdump-config show", 180)
    let_write(machine, 3)
    machine.send("echo c >/proc/sysrq-trigger")


SHORT = [
    Act("softlockup-then-cut", "a CPU spins in the kernel with preemption off; power cut 14 s after the first report", "lockup", _soft_lockup,
        causes=["soft_lockup", "rcu_stall"], boot=Boot(cpus=2)),
    Act("rcu-stall-then-cut", "a CPU spins, the soft-lockup detector is off, RCU reports the stall; power cut 12 s later. The stall stands on the "
        "console alone: none of it reached the journal", "traceless", _rcu_stall, accept=["insufficient_evidence", "lockup"], boot=Boot(cpus=2)),
    Act("oom-then-cut-sync2s", "memory used up by stress-ng; power cut 15 s after the first kill of the kernel's OOM killer", "oom", _oom_cut,
        accept=["memory_wedge"], causes=["oom"], boot=Boot(memory=512)),
    Act("panic-on-oom", "vm.panic_on_oom=1, memory used up", "panic",
        _panic("sysctl -qw vm.panic_on_oom=1", "stress-ng --vm 2 --vm-bytes 700M --vm-keep --oomable --timeout 100 & tail /dev/zero"),
        accept=["oom"], causes=["oom", "panic"], boot=Boot(memory=512), reboots=True),
]
PANICS = [
    Act("panic-on-oops", "NULL dereference in the test module with panic_on_oops=1", "panic",
        _panic("sysctl -qw kernel.panic_on_oops=1", "echo oops >/dev/nvidia-uvm"), accept=["oops_reset"], causes=["oops", "panic"], reboots=True),
    Act("panic-hung-task", "a task hangs in uvm_va_space_destroy with hung_task_panic=1", "panic", _hung_panic,
        accept=["driver_wedge"], causes=["hung_task"], reboots=True),
    Act("panic-nmi", "an NMI nobody knows, with unknown_nmi_panic=1", "panic", _nmi, causes=["panic"], reboots=True),
    Act("panic-mce", "an uncorrected machine check of a memory controller, injected by the emulator", "panic", _mce,
        accept=["memory_hardware"], causes=["mce"], synthetic="the error is injected; everything after it is the kernel's", reboots=True),
    Act("", "shut down in order", "clean", power_off),
]
KDUMP = [
    Act("panic-kdump-saved", "sysrq-c with a working kdump: dump and dmesg saved by the capture kernel", "panic", _kdump, causes=["panic"],
        boot=Boot(append="crashkernel=224M", memory=900), reboots=True, captured_by_kdump=True),
]
STORIES = {"lockups": SHORT, "panics": PANICS, "kdump": KDUMP}
