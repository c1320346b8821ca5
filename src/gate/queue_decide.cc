#include "gate/queue_decide.h"

#include <algorithm>

namespace antifreeze::gate {
namespace {

enum class Role {
  kNothing,
  kRubbish,
  kWreck,
  kHolder,
  kOverdue,
  kUnreadable,
  kWaiter,
};

constexpr std::uint64_t kKeyZero = std::uint64_t{1} << 60;
constexpr core::Nanos kWidestPriority = kPriorityStep * kMaxPriority;

/// Arrival as the name tells it: within ten minutes of the true one, whatever the priority was.
core::BootTime arrival_of_name(std::string_view name) {
  // A forged name may say anything: within 146 years, so that differences cannot overflow.
  constexpr std::int64_t kFarthest = std::int64_t{1} << 62;
  const auto ns = static_cast<std::int64_t>(key_of_name(name).value_or(0) - kKeyZero);
  return {std::clamp(ns, -kFarthest, kFarthest)};
}

bool unreadable_lapsed(const QueueInput& in, const SeenTicket& seen) {
  const auto arrival = arrival_of_name(seen.name);
  if (arrival > in.now + kWidestPriority) return true;  // no honest ticket arrives in the future
  return in.now - arrival > kUnreadableLapse + kWidestPriority;
}

/// Until when a hold, or what a dead holder left, counts: the ticket's deadline, but never longer than kLongestHold
/// after its grant; without a grant, after the arrival that its name tells. Nobody else's word bounds what a ticket
/// claims.
bool hold_is_over(const QueueInput& in, const SeenTicket& seen) {
  const Ticket& ticket = *seen.ticket;
  if (ticket.deadline && *ticket.deadline < in.now_mono) return true;
  if (ticket.granted) return *ticket.granted + kLongestHold < in.now_mono;
  const auto arrival = arrival_of_name(seen.name);
  return arrival > in.now + kWidestPriority || in.now - arrival > kLongestHold + kWidestPriority;
}

Role role_of(const QueueInput& in, const SeenTicket& seen) {
  if (!seen.ticket || (seen.ticket->granted && *seen.ticket->granted > in.now_mono + std::chrono::seconds(1))) {
    if (unreadable_lapsed(in, seen)) return seen.live ? Role::kNothing : Role::kRubbish;
    return seen.live ? Role::kUnreadable : Role::kWreck;
  }
  const Ticket& ticket = *seen.ticket;
  const bool was_holding = ticket.state == TicketState::kHolding || ticket.state == TicketState::kCleared;
  if (!seen.live) {
    // After a reboot no process of an earlier boot is left.
    if (!was_holding || ticket.boot_id != in.boot_id) return Role::kRubbish;
    return hold_is_over(in, seen) ? Role::kRubbish : Role::kWreck;
  }
  if (ticket.state == TicketState::kDone) return Role::kNothing;
  if (!was_holding) return Role::kWaiter;
  return hold_is_over(in, seen) ? Role::kOverdue : Role::kHolder;
}

bool conflicts(const SeenTicket& seen, const std::vector<std::string>& domains) {
  return !seen.ticket || domains_conflict(seen.ticket->domains, domains);
}

/// Rule W3: nothing but itself keeps `waiter` from its turn.
bool could_go(const QueueInput& in, const std::vector<Role>& roles, const SeenTicket& waiter) {
  // Whatever the ticket claims, gathering ends soon after the arrival that its name tells.
  const auto gathered = arrival_of_name(waiter.name) + kWidestPriority + kLongestGather;
  if (in.now < std::min(waiter.ticket->gather_until, gathered)) return false;
  for (std::size_t i = 0; i < in.others.size(); ++i) {
    const auto& other = in.others[i];
    if (other.name == waiter.name || !conflicts(other, waiter.ticket->domains)) continue;
    if (roles[i] == Role::kHolder || roles[i] == Role::kUnreadable) return false;
    if (roles[i] == Role::kWaiter && other.name < waiter.name && !in.passed_over.contains(other.name)) return false;
  }
  return true;
}

}  // namespace

QueueDecision decide_turn(const QueueInput& in) {
  QueueDecision out;
  std::vector<Role> roles;
  roles.reserve(in.others.size());
  for (const auto& seen : in.others) roles.push_back(role_of(in, seen));

  for (std::size_t i = 0; i < in.others.size(); ++i) {
    const auto& seen = in.others[i];
    if (roles[i] == Role::kRubbish) out.rubbish.push_back(i);
    if (!conflicts(seen, in.own.domains)) continue;
    if (roles[i] == Role::kWreck) out.wrecks.push_back(i);
    if (roles[i] == Role::kOverdue) out.overdue.push_back(i);
    if (roles[i] == Role::kUnreadable) out.unreadable.push_back(i);
    const bool holds = roles[i] == Role::kHolder || roles[i] == Role::kUnreadable;
    const bool waits_ahead = roles[i] == Role::kWaiter && seen.name < in.own_name;
    if (!holds && !waits_ahead) continue;
    if (waits_ahead && !in.paused_until && could_go(in, roles, seen)) out.could_go.push_back(seen.name);
    if (waits_ahead && in.passed_over.contains(seen.name)) continue;
    ++out.ahead;
    // The nearest one: the last waiter in front of us, so that a release wakes one process and not all of them.
    const auto rank = [&](std::size_t k) { return std::pair(roles[k] == Role::kWaiter, in.others[k].name); };
    if (!out.blocker || rank(i) > rank(*out.blocker)) out.blocker = i;
  }
  if (out.blocker) return out;
  if (in.paused_until && in.now < *in.paused_until) {
    out.turn = Turn::kPaused;
    out.retry_at = *in.paused_until;
  } else if (in.now < in.own.gather_until) {
    out.turn = Turn::kGathering;
    out.retry_at = in.own.gather_until;
  } else {
    out.turn = Turn::kGranted;
  }
  return out;
}

core::Nanos default_gather(core::BootTime now) {
  constexpr core::BootTime kEarlyBoot{180'000'000'000};
  return now < kEarlyBoot ? core::Nanos(std::chrono::seconds(3)) : core::Nanos(std::chrono::milliseconds(500));
}

}  // namespace antifreeze::gate
