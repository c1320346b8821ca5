// What a decision about the queue looks at, and what it says.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/time.h"
#include "gate/ticket.h"

namespace antifreeze::gate {

/// A ticket file as found in the directory. Whether it is live was asked before its content was read: the other way
/// round a clean release looks like a wreck (rule D1).
struct SeenTicket {
  std::string name;
  bool live = false;             ///< somebody holds the lock on it
  std::optional<Ticket> ticket;  ///< nullopt: could not be read, or is no ticket
};

/// Everything a decision depends on.
struct QueueInput {
  std::string own_name;
  const Ticket& own;
  const std::vector<SeenTicket>& others;  ///< own file left out
  core::BootTime now;
  core::MonoTime now_mono;
  std::string boot_id;
  const std::set<std::string>& passed_over;    ///< waiters that did not take their turn (rule W3)
  std::optional<core::BootTime> paused_until;  ///< an active pause of the gate
};

enum class Turn {
  kGranted,
  kBlocked,    ///< by others[blocker]; sleep on its lock
  kGathering,  ///< nobody in the way, but others of a mass restart may still arrive; see retry_at
  kPaused,     ///< the gate is paused until retry_at
};

/// What to do now. Indices point into QueueInput::others.
struct QueueDecision {
  Turn turn = Turn::kBlocked;
  std::optional<std::size_t> blocker;
  core::BootTime retry_at;
  std::size_t ahead = 0;                ///< live conflicting tickets in front, holders included
  std::vector<std::size_t> rubbish;     ///< void files that mean nothing any more: unlink
  std::vector<std::size_t> wrecks;      ///< conflicting dead holders: wait for stable memory before starting
  std::vector<std::size_t> overdue;     ///< live holders past their deadline: ignored, loudly
  std::vector<std::size_t> unreadable;  ///< live tickets that cannot be read: count as holders of everything
  std::vector<std::string> could_go;    ///< waiters in front of us that nothing keeps from their turn (rule W3)
};

}  // namespace antifreeze::gate
