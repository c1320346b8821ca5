// From arrival to grant: the queue as one wrapper lives it (docs/gate-protocol.md, rules E2-E3, D1-D4, W1-W4).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gate/gate_dir.h"
#include "gate/own_ticket.h"
#include "gate/queue_decide.h"
#include "run/context.h"

namespace antifreeze::run {

/// A dead holder's ticket that must be cleared before anything is started.
struct Wreck {
  std::string name;
  std::string service;
  bool cleared = false;                 ///< state C: its processes were proven gone
  std::optional<core::MonoTime> ended;  ///< when, for state C
};

struct Granted {
  gate::OwnTicket ticket;
  std::vector<Wreck> wrecks;
};

/// Why the queue was left without a grant.
struct NotGranted {
  enum class Why { kSignal, kTimeout, kBroken } why = Why::kBroken;
  int signal = 0;
  std::string message;
};

class QueueWait {
 public:
  QueueWait(Context& context, const gate::GateDir& dir, std::vector<std::string> domains);

  /// Queues and waits. `reason` goes into the log ("", or why it queues again).
  std::variant<Granted, NotGranted> wait(std::string_view reason);

 private:
  struct Look;
  std::optional<NotGranted> enter(std::string_view reason);
  std::optional<NotGranted> check_end();
  core::Result<Look> look();
  core::Status grant(const gate::RegistryLock& registry);
  void tidy(const gate::Listing& listing, const gate::QueueDecision& decision);
  void tell(const Look& look);
  void learn_who_sleeps(const gate::QueueDecision& decision, core::MonoTime now);
  std::optional<NotGranted> sleep(const Look& look);
  core::Result<gate::RegistryLock> lock_registry();
  NotGranted leave(NotGranted why);

  Context& context_;
  const gate::GateDir& dir_;
  std::vector<std::string> domains_;
  std::optional<gate::OwnTicket> ticket_;
  std::optional<NotGranted> interrupted_;  ///< what ended a wait for the registry
  core::MonoTime entered_{};
  std::set<std::string> passed_over_;
  std::map<std::string, core::MonoTime> could_go_since_;
  std::set<std::string> told_overdue_;
  std::string told_;
};

}  // namespace antifreeze::run
