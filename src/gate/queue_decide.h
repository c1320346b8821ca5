// Whose turn it is (docs/gate-protocol.md, rules D1-D4, W3, H4). Pure.
#pragma once

#include "gate/queue_types.h"

namespace antifreeze::gate {

/// A live ticket that nobody can read counts as a hold on every domain, for at most this long after its arrival.
inline constexpr core::Nanos kUnreadableLapse = std::chrono::minutes(30);
/// No hold counts for longer, whatever deadline its ticket claims; a holder that may stay longer renews its ticket.
inline constexpr core::Nanos kLongestHold = std::chrono::hours(24);
/// Nobody gathers for longer, whatever its ticket says.
inline constexpr core::Nanos kLongestGather = std::chrono::seconds(60);
/// A waiter that could go but does not for this long is passed over.
inline constexpr core::Nanos kPassOverAfter = std::chrono::seconds(5);

/// Decides for input.own. Must be called with the registry locked, on a listing made under the same lock.
QueueDecision decide_turn(const QueueInput& input);

/// The gather window: wait so long after arrival, so that a mass restart is ordered by priority. 3 s within 180 s of
/// boot, when units and containers trickle in; 500 ms later (five containers restart within 0.3 s of each other).
core::Nanos default_gather(core::BootTime now);

}  // namespace antifreeze::gate
