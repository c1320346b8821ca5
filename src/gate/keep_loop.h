// The keeper's loop: saves the gate directory's breakers and event log within a second of every change.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "gate/keep_act.h"
#include "host/clock.h"

namespace antifreeze::gate {

struct KeepLoopOptions {
  KeepPaths paths;
  std::string boot_id;
  bool mark_clean_at_end = false;  ///< the end of the loop is the end of the boot
};

/// Runs until `stop_fd` is readable (a signalfd, an eventfd, a pipe), then saves once more and, when asked to, marks
/// the boot as ended in an orderly way. `report` gets one line for what went wrong or was left out, each only when it
/// changes; a save that failed is tried again after ten seconds. Sleeps while nothing changes. Returns an error when
/// the gate directory is gone or was never set up.
core::Status keep_loop(const KeepLoopOptions& options, int stop_fd, const host::Clock& clock,
                       const std::function<void(std::string_view)>& report);

}  // namespace antifreeze::gate
