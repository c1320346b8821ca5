// Which kind of memory the GPUs of this machine use.
#pragma once

#include <string>

#include "host/memory.h"

namespace antifreeze::host {

struct MemoryKindFinding {
  MemoryKind kind = MemoryKind::kDiscrete;
  std::string reason;  ///< what it was told from, for doctor and for log lines: "DMI product NVIDIA_DGX_Spark"
};

/// Looks at what ROOT/proc, ROOT/sys and ROOT/dev say, in this order: the machine's name, the GPUs' names, device
/// nodes. In doubt kDiscrete, where nothing is concluded from host memory. Works inside containers, where /sys shows
/// the host's hardware but /dev and /proc/driver only what was passed in.
MemoryKindFinding detect_memory_kind(const std::string& root = "/");

}  // namespace antifreeze::host
