// One function a source of evidence: each looks for its files below the root and adds what it finds.
#pragma once

#include "autopsy/root_findings.h"
#include "autopsy/root_reader.h"

namespace antifreeze::autopsy {

/// var/log/wtmp and wtmp.1: boots and orderly ends.
void read_wtmp(RootReader& root, RootFindings& into);
/// sys/fs/pstore and var/lib/systemd/pstore (where systemd-pstore moves them).
void read_pstore(RootReader& root, RootFindings& into);
/// var/crash of kdump-tools and kdump: dumps, also the empty ones that say that a capture kernel ran.
void read_kdump(RootReader& root, RootFindings& into);
/// sys/class/watchdog/*/bootstatus: a reset by the hardware watchdog.
void read_watchdog(RootReader& root, RootFindings& into);
/// var/log/dpkg.log and its last rotation: driver, kernel, firmware and Docker changes.
void read_packages(RootReader& root, RootFindings& into);
/// journald's configuration and the kernel's detectors: what silence can mean.
void read_limits(RootReader& root, RootFindings& into);
/// var/lib/docker/containers/*/*-json.log: what containers said last.
void read_containers(RootReader& root, RootFindings& into);
/// etc/hostname and etc/passwd: names that must not leave the house.
void read_names(RootReader& root, RootFindings& into);
/// The gate's event log: who was starting.
void read_gate_log(RootReader& root, RootFindings& into);

}  // namespace antifreeze::autopsy
