#include "autopsy/root_findings.h"
#include "autopsy/root_reader.h"
#include "autopsy/root_sources.h"
#include "core/text.h"

namespace antifreeze::autopsy {

RootFindings read_root(const std::string& root) {
  RootFindings findings;
  RootReader reader(root, findings);
  if (auto id = reader.read("proc/sys/kernel/random/boot_id", 64, "which boot is running is not known")) {
    std::string compact;
    for (const char c : core::trim(*id)) {
      if (c != '-') compact += c;
    }
    if (compact.size() == 32) findings.running_boot_id = compact;
  }
  read_wtmp(reader, findings);
  read_pstore(reader, findings);
  read_kdump(reader, findings);
  read_watchdog(reader, findings);
  read_packages(reader, findings);
  read_limits(reader, findings);
  read_gate_log(reader, findings);
  read_containers(reader, findings);
  read_names(reader, findings);
  return findings;
}

}  // namespace antifreeze::autopsy
