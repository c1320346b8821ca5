// Clearing up after a holder that died (docs/gate-protocol.md, rule H1 and section 4).
#pragma once

#include <optional>
#include <vector>

#include "gate/gate_dir.h"
#include "run/context.h"
#include "run/queue_wait.h"

namespace antifreeze::run {

/// Waits until memory is stable, because the kernel frees a dead container's lock before its memory, and removes the
/// wrecks. Returns the signal that interrupted it: then the wrecks stay for the next one.
std::optional<int> reclaim(Context& context, const gate::GateDir& dir, const std::vector<Wreck>& wrecks);

}  // namespace antifreeze::run
