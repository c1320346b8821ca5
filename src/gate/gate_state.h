// Files of the gate directory that hold everybody: the pause and the safe boot.
#pragma once

#include <optional>
#include <string>

#include "core/result.h"
#include "gate/gate_dir.h"
#include "gate/pause_file.h"

namespace antifreeze::gate {

struct ActivePause {
  Pause pause;
  core::BootTime until;
};

/// The pause in force, if any. A file that is no pause, or not the directory owner's, counts as none: any container
/// may create files there.
std::optional<ActivePause> active_pause(const GateDir& dir, core::BootTime now, std::string_view boot_id);

/// Why this boot is a safe boot; nullopt when it is none.
std::optional<std::string> safe_boot(const GateDir& dir);

}  // namespace antifreeze::gate
