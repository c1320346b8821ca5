// Runs another program to its end, for the few questions that only a program answers.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"

namespace antifreeze::host {

struct CommandResult {
  int code = 0;        ///< exit code, or 128 + signal
  std::string output;  ///< stdout and stderr together, at most 64 KiB
};

/// Runs `argv` (a path in front) with nothing on stdin. kTimeout: it was killed after `limit`. kNotFound, kPermission:
/// it cannot be started.
core::Result<CommandResult> run_command(const std::vector<std::string>& argv, core::Nanos limit);

}  // namespace antifreeze::host
