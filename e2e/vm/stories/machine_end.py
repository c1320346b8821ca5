"""Endings from outside the kernel: power, heat, watchdog, shutdowns that hang, cuts nobody noticed."""

import time

from machine import Boot, Machine
from story import Act, cut, kernel, let_write, power_off

NO_TRIP = "thermal thermal_zone0: No valid trip points!"


def _watchdog(machine: Machine) -> None:
    machine.run("sysctl -qw kernel.watchdog_thresh=3")
    since = machine.console_size()
    # Opened and fed with one byte, then never again; the second CPU spins, so that soft lockups are reported first.
    machine.run("exec 8>/dev/watchdog; echo . >&8")
    machine.send("(echo softlockup 90 >/dev/nvidia-uvm) & echo away")
    machine.wait_console(r"soft lockup - CPU#\d+ stuck", 60, since)
    machine.wait_console(r"Linux version", 120, since)


def _no_trip(end):
    def do(machine: Machine) -> None:
        kernel(machine, NO_TRIP)
        let_write(machine, 12)
        end(machine)
    return do


def _hanging_stop(machine: Machine) -> None:
    machine.run("printf '[Unit]\\nDescription=vLLM server that does not stop\\n[Service]\\nExecStart=/bin/sleep 9999\\nExecStop=/bin/sleep 9999\\n"
                "TimeoutStopSec=infinity\\n' >/etc/systemd/system/vllm-stuck.service; systemctl daemon-reload; systemctl start vllm-stuck")
    let_write(machine, 4)
    machine.send("systemctl reboot")
    time.sleep(40)
    cut(machine)


def _lost_lockup(machine: Machine) -> None:
    machine.run("sysctl -qw kernel.watchdog_thresh=3")
    since = machine.console_size()
    machine.send("(echo softlockup 60 >/dev/nvidia-uvm) & echo away")
    machine.wait_console(r"soft lockup - CPU#\d+ stuck", 60, since)
    time.sleep(6)
    cut(machine)


def _heat(machine: Machine) -> None:
    machine.off(200)


def _ups(machine: Machine) -> None:
    for text in ("UPS apc@localhost on battery", "Broadcast Message: UPS apc@localhost on battery", "UPS apc@localhost battery is low",
                 "Executing automatic power-fail shutdown"):
        machine.run(f"logger -t upsmon -p daemon.alert '{text}'")
    let_write(machine, 4)
    cut(machine)


def _early(machine: Machine) -> None:
    since = machine.console_size()
    machine.wait_console(r"Finished.*(Remount Root|udev-trigger|Coldplug)|Starting.*systemd-random-seed|EXT4-fs \(vda\): re-mounted", 120, since)
    cut(machine)


def _upgrade(machine: Machine) -> None:
    machine.run("mkdir -p /tmp/p/DEBIAN; printf 'Package: nvidia-driver-580-open\\nVersion: 580.126.09-1\\nArchitecture: amd64\\nMaintainer: test "
                "<t@example.org>\\nDescription: stand-in\\n' >/tmp/p/DEBIAN/control; dpkg-deb -b /tmp/p /tmp/a.deb; dpkg -i /tmp/a.deb; "
                "sed -i s/580.126.09/580.159.03/ /tmp/p/DEBIAN/control; dpkg-deb -b /tmp/p /tmp/b.deb; dpkg -i /tmp/b.deb", 120)
    let_write(machine, 14)
    cut(machine)


STORIES = {
    "watchdog": [
        Act("watchdog-after-softlockup", "a CPU spins, soft lockups are reported, nobody feeds the i6300ESB watchdog: it resets after 30 s", "watchdog_reset",
            _watchdog, accept=["lockup"], causes=["soft_lockup", "rcu_stall"], reboots=True, boot=Boot(cpus=2)),
        Act("shutdown-hang-then-cut", "a service does not stop at a reboot that was asked for; power cut 40 s later", "shutdown_hang", _hanging_stop),
        Act("ups-battery-then-cut", "UPS on battery, then low; power cut before a shutdown", "power", _ups, causes=["power"],
            synthetic="upsmon's lines were written by logger"),
    ],
    "notrip": [
        Act("", "zone without trip points, shut down in order", "clean", _no_trip(power_off), boot=Boot(tables=("notrip",))),
        Act("", "zone without trip points, shut down in order", "clean", _no_trip(power_off), boot=Boot(tables=("notrip",))),
        Act("notrip-log-just-stops", "'No valid trip points' in every boot; this one's log just stops (power cut)", "traceless", _no_trip(cut),
            boot=Boot(tables=("notrip",)), synthetic="the zone comes from a test SSDT; kernel 6.1 says 'found', the newer text was printed by the test module"),
    ],
    "cuts": [
        Act("thermal-critical-sync2s", "an ACPI thermal zone heats up to its critical trip; the kernel powers off", "thermal", _heat, causes=["thermal"],
            boot=Boot(tables=("hot",)), synthetic="the zone's temperature comes from a test SSDT"),
        Act("driver-upgrade-then-cut", "driver package upgraded, power cut 14 s later, nothing logged", "traceless", _upgrade,
            synthetic="the package is an empty stand-in", notes=["a driver package changed in this boot"]),
        Act("lockup-lost-by-sync", "soft lockups on the console, power cut 6 s after the first: journald's default sync of 5 minutes lost them",
            "traceless", _lost_lockup, accept=["lockup"], boot=Boot(sync=None, cpus=2), causes=["soft_lockup", "rcu_stall"],
            notes=["no cause is right as well when the journal has none"]),
        Act("", "shut down in order", "clean", power_off),
        Act("early-cut", "power cut while the kernel was starting the services: no journal entry of this boot", "traceless", _early,
            accept=["insufficient_evidence"], blind=True),
    ],
}
