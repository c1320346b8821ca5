"""Boots that look bad and are well: they end in order, or still run. None of them may get a verdict of failure."""

import time

from machine import Boot, Machine
from story import Act, kernel, let_write, power_off

PRINTED = "the named driver lines were printed through printk by the test module; the rest is real"


def _reboot(machine: Machine) -> None:
    machine.send("systemctl reboot")


def _devices(machine: Machine) -> None:
    kernel(machine, "mlx5_core 0000:01:00.0: Detected insufficient power on the PCIe slot (27W).",
           "pci 000f:00:00.0: DOE: [2c8] ABORT timed out", "thermal thermal_zone1: No valid trip points!",
           "NVRM: RmFetchGspRmImages: Failed to load gsp_log_ga10x.bin, no GSP-RM logs will be printed (non-fatal)",
           "NVRM: Slow RPC response from GPU0 GSP",
           "pcieport 0000:00:01.1: AER: Corrected error message received from 0000:01:00.0")
    let_write(machine)
    _reboot(machine)


def _application_xids(machine: Machine) -> None:
    kernel(machine, "NVRM: Xid (PCI:0000:01:00): 13, pid=2301, name=python3, Graphics Exception: ESR 0x504648=0x107000e 0x504650=0x20 "
           "0x504644=0xd3eff2 0x50464c=0x17f",
           "NVRM: Xid (PCI:0000:01:00): 31, pid=2301, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted "
           "@ 0x7f5d_1c000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
           "NVRM: Xid (PCI:0000:01:00): 43, pid=2301, name=python3, Ch 00000010")
    machine.run("systemctl kill -s KILL vllm-qwen.service")
    let_write(machine, 12)
    _reboot(machine)


def _memory_limits(machine: Machine) -> None:
    machine.run("systemd-run --unit=llama-server -p MemoryMax=60M -p MemorySwapMax=0 -p Restart=on-failure -p RestartSec=1 -p StartLimitBurst=4 "
                "-p StartLimitIntervalSec=60 tail /dev/zero")
    machine.run("sysctl -w kernel.printk >/dev/null; (tail /dev/zero &)", 90)
    let_write(machine, 25)
    _reboot(machine)


def _earlyoom(machine: Machine) -> None:
    machine.run("systemctl start earlyoom; (tail /dev/zero &) ; sleep 15", 120)
    machine.run("systemctl stop earlyoom")
    let_write(machine, 6)
    _reboot(machine)


def _crash_loop(machine: Machine) -> None:
    machine.run("systemd-run --unit=tei-embed -p Restart=on-failure -p RestartSec=2 -p StartLimitIntervalSec=0 "
                "bash -c 'echo loading; sleep 1; kill -SEGV $$'")
    let_write(machine, 30)
    machine.run("systemctl stop tei-embed")
    _reboot(machine)


def _clock(machine: Machine) -> None:
    machine.run("date -s '-3 hours'; logger -t chronyd 'System clock wrong by -10800.2 seconds'")
    let_write(machine, 8)
    machine.run("date -s '+3 hours'")
    let_write(machine, 5)
    _reboot(machine)


def _upgrade(machine: Machine) -> None:
    machine.run("mkdir -p /tmp/p/DEBIAN; for v in 580.126.09 580.159.03; do printf 'Package: nvidia-driver-580-open\\nVersion: %s-1\\nArchitecture: "
                "amd64\\nMaintainer: test <t@example.org>\\nDescription: stand-in\\n' $v >/tmp/p/DEBIAN/control; dpkg-deb -b /tmp/p /tmp/$v.deb; "
                "dpkg -i /tmp/$v.deb; done", 120)
    machine.run("systemctl daemon-reexec; udevadm trigger; systemctl restart systemd-journald", 90)
    let_write(machine, 6)
    _reboot(machine)


def _survived(machine: Machine) -> None:
    machine.run("sysctl -qw kernel.watchdog_thresh=3 kernel.hung_task_timeout_secs=6 kernel.hung_task_check_interval_secs=3")
    since = machine.console_size()
    machine.send("(echo softlockup 11 >/dev/nvidia-uvm) & echo away")
    machine.wait_console(r"soft lockup - CPU#\d+ stuck", 60, since)
    time.sleep(10)
    machine.send("(exec 9>/dev/nvidia-uvm; echo hang >&9; exec 9>&-) & echo away")
    machine.wait_console(r"blocked for more than \d+ seconds", 60, since)
    time.sleep(4)
    machine.run("echo release >/dev/nvidia-uvm &")
    let_write(machine, 15)
    power_off(machine)


def _corrected(machine: Machine) -> None:
    machine.monitor("mce 0 3 0x9c00000000000151 0 0x34000 0x8c")
    machine.monitor("mce 1 3 0x9c00000000000151 0 0x34000 0x8c")
    let_write(machine, 20)
    power_off(machine)


def _suspend(machine: Machine) -> None:
    since = machine.console_size()
    machine.send("echo deep >/sys/power/mem_sleep; systemctl suspend")
    machine.wait_console(r"PM: suspend entry", 60, since)
    time.sleep(25)
    machine.monitor("system_wakeup")
    machine.wait_console(r"PM: suspend exit", 90, since)
    let_write(machine, 8)
    power_off(machine)


def _running(machine: Machine) -> None:
    line = ("NVRM: GPU0 nvCheckOkFailedNoLog: Check failed: Out of memory [NV_ERR_NO_MEMORY] (0x00000051) "
            "returned from _memdescAllocInternal(pMemDesc) @ mem_desc.c:1359")
    kernel(machine, line, line, "NVRM: Xid (PCI:0000:01:00): 43, pid=2301, name=python3, Ch 00000010")
    machine.run("echo oops >/dev/nvidia-uvm")
    let_write(machine, 5)


def _well(name: str, what: str, do, synthetic: str = "none", notes=(), **more) -> Act:
    return Act(name, what, "clean", do, synthetic=synthetic, notes=list(notes), **more)


STORIES = {
    "noise": [
        _well("healthy-device-noise", "mlx5 power note, DOE time-out, missing trip points, corrected AER; rebooted in order", _devices, PRINTED, reboots=True),
        _well("healthy-app-xid", "Xid 13, 31 and 43 of an application, its service restarts; rebooted in order", _application_xids, PRINTED, reboots=True),
        _well("healthy-oom-survived", "a service hits its memory limit again and again, and a batch job is ended by the kernel's OOM killer; the host goes "
              "on and is rebooted in order", _memory_limits, notes=["oom_memcg", "oom"], reboots=True),
        _well("healthy-earlyoom", "earlyoom ends a process; rebooted in order", _earlyoom, notes=["userspace_oom_kill"], reboots=True),
        _well("healthy-crash-loop", "a service crashes every 3 s; rebooted in order", _crash_loop, notes=["crash loop"], reboots=True),
        _well("healthy-clock-step", "wall clock set back three hours and forward again; rebooted in order", _clock, notes=["clock step"], reboots=True),
        _well("healthy-upgrade", "a driver package upgraded, systemd re-executed, journald restarted; rebooted in order", _upgrade,
              "the package is an empty stand-in", reboots=True),
    ],
    "survived": [
        _well("healthy-lockup-survived", "a soft lockup of 11 s and a hung task that both end; powered off in order", _survived, notes=["soft_lockup", "hung_task"], boot=Boot(cpus=2)),
        _well("healthy-corrected-mce", "two corrected machine checks; powered off in order", _corrected, "the errors are injected", notes=["mce"]),
        _well("healthy-suspended", "suspended to RAM for 25 s; powered off in order", _suspend),
        Act("healthy-still-running", "captured while it runs, after an oops in a driver, an application's Xid and two NV_ERR_NO_MEMORY lines", "running",
            _running, synthetic=PRINTED, notes=["oops"], still_running=True),
    ],
}
