// `held`: staying up without starting anything and without a ticket, because the breaker or the safe boot says so.
#pragma once

#include <optional>

#include "gate/breaker_types.h"
#include "gate/gate_dir.h"
#include "run/context.h"

namespace antifreeze::run {

/// Why the wait ended without permission to go on.
struct HoldEnd {
  int signal = 0;  ///< asked to end by this signal
};

/// Sleeps while the breaker backs off or holds, or the boot is a safe one, and says so. nullopt: go on and queue.
std::optional<HoldEnd> wait_for_permission(Context& context, const gate::GateDir& dir);

/// Puts the service on hold for want of memory (`reason` has the numbers) and waits as above.
std::optional<HoldEnd> hold_for_memory(Context& context, const gate::GateDir& dir, std::string_view reason);

/// Reads the service's record, lets `change` work on it, and writes it back, under the registry lock. What is no
/// record counts as empty and is replaced; where it cannot be (a directory, another user's file) this start goes on
/// without one. Either is said once and is not fatal: the gate excludes, the breaker advises.
gate::BreakerRecord update_breaker(Context& context, const gate::GateDir& dir,
                                   const std::function<void(gate::BreakerRecord&, const gate::BreakerNow&)>& change);

}  // namespace antifreeze::run
