// Who else left while somebody was starting: the usual reason for "Error in memory profiling" (vllm 56830).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "gate/gate_dir.h"

namespace antifreeze::gate {

/// Services other than `service` whose "exited" line stands in the event log's last 64 KiB at or after `since`, in this
/// boot, each once, at most 8. Garbage lines are skipped. The log is written by containers: for people only.
std::vector<std::string> neighbours_that_left(const GateDir& dir, std::string_view service, core::BootTime since,
                                              std::string_view boot_id);

/// The same on a text.
std::vector<std::string> neighbours_that_left(std::string_view log, std::string_view service, core::BootTime since,
                                              std::string_view boot_id);

}  // namespace antifreeze::gate
