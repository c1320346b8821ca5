#include "cli/gate_view.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/text.h"
#include "gate/breaker_decide.h"
#include "gate/queue_decide.h"

namespace antifreeze::cli {
namespace {

using gate::Phase;
using gate::TicketState;

/// Sorts behind every honest ticket and wants the whole host: what decide_turn says of the others, seen from here, is
/// what they are.
constexpr const char* kLastName = "t-ffffffffffffffff-ffffffff";

struct Roles {
  std::set<std::size_t> rubbish, wrecks, overdue, unreadable;
};

Roles find_roles(const GateReadings& in, const std::vector<gate::SeenTicket>& seen) {
  gate::Ticket own;
  own.domains = {std::string(gate::kHostDomain)};
  const std::set<std::string> nobody;
  const auto decision =
      gate::decide_turn({kLastName, own, seen, in.base.boottime, in.monotonic, in.base.boot_id, nobody, std::nullopt});
  const auto set_of = [](const std::vector<std::size_t>& list) { return std::set(list.begin(), list.end()); };
  return {set_of(decision.rubbish), set_of(decision.wrecks), set_of(decision.overdue), set_of(decision.unreadable)};
}

std::vector<std::string> shown_domains(const gate::Ticket& ticket) {
  std::vector<std::string> out;
  for (const auto& domain : ticket.domains) out.push_back(core::printable(domain, 64));
  return out;
}

/// A forged ticket may say anything.
template <typename Time>
Time near(Time time) {
  return {std::clamp(time.ns, -kFarthestNs, kFarthestNs)};
}
template <typename Time>
std::optional<Time> near(std::optional<Time> time) {
  return time ? std::optional(near(*time)) : time;
}

HolderView holder_of(const FoundTicket& found, bool overdue) {
  const auto& ticket = *found.seen.ticket;
  HolderView view;
  view.ticket = found.seen.name;
  view.service = core::printable(ticket.service, 128);
  view.domains = shown_domains(ticket);
  view.priority = ticket.priority;
  view.since = near(ticket.granted);
  view.deadline = near(ticket.deadline);
  view.overdue = overdue;
  view.cleared = ticket.state == TicketState::kCleared;
  view.pid = ticket.pid;
  view.host_pids = found.host_pids;
  return view;
}

WaiterView waiter_of(const FoundTicket& found, core::BootTime now) {
  const auto& ticket = *found.seen.ticket;
  return {found.seen.name,
          core::printable(ticket.service, 128),
          shown_domains(ticket),
          ticket.priority,
          near(ticket.arrival),
          now < ticket.gather_until,
          ticket.pid,
          found.host_pids};
}

WreckView wreck_of(const gate::SeenTicket& seen) {
  if (!seen.ticket) return {seen.name, "", {}, false};
  return {seen.name, core::printable(seen.ticket->service, 128), shown_domains(*seen.ticket),
          seen.ticket->state == TicketState::kCleared};
}

void sort_tickets(const GateReadings& in, GateView& view) {
  std::vector<gate::SeenTicket> seen;
  for (const auto& found : in.tickets) seen.push_back(found.seen);
  const auto roles = find_roles(in, seen);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto& found = in.tickets[i];
    if (roles.rubbish.contains(i)) continue;
    if (roles.wrecks.contains(i)) {
      view.wrecks.push_back(wreck_of(found.seen));
    } else if (roles.unreadable.contains(i)) {
      view.unreadable.push_back({found.seen.name, found.host_pids});
    } else if (found.seen.ticket && found.seen.live) {
      const auto state = found.seen.ticket->state;
      if (state == TicketState::kWaiting) view.queue.push_back(waiter_of(found, in.base.boottime));
      if (state == TicketState::kHolding || state == TicketState::kCleared) {
        view.holders.push_back(holder_of(found, roles.overdue.contains(i)));
      }
    }
  }
  std::ranges::sort(view.queue, {}, &WaiterView::ticket);  // sorted names are the queue
}

std::map<std::string, ServiceView> last_words(const GateReadings& in) {
  std::map<std::string, ServiceView> last;
  for (const auto& event : in.log.events) {
    if (event.boot_id != in.base.boot_id) continue;
    auto& view = last[event.service];
    if (!view.service.empty() && event.boottime < view.since) continue;
    // "queued" is logged again whenever the one in front changes: still the same state.
    const bool same = !view.service.empty() && view.phase == event.phase;
    const bool has_ticket = event.ticket.has_value();
    // Back in the queue, or out of it: another wait.
    const bool goes_on = same && view.has_ticket == has_ticket;
    view = {event.service, event.phase, goes_on ? view.since : event.boottime, event.reason, has_ticket};
  }
  return last;
}

/// The record as of now, without what a start would change in it.
std::optional<HeldView> held_of(gate::BreakerRecord record, const GateReadings& in,
                                const std::map<std::string, ServiceView>& last) {
  const gate::BreakerNow now{in.base.boottime, in.base.wall, in.base.boot_id};
  gate::rebase(record, now);
  HeldView view;
  view.service = core::printable(record.service, 128);
  view.failures = record.failures_in_a_row;
  view.loss = gate::memory_loss(record);
  if (record.hold) {
    const auto since = std::min(record.hold->since.boottime, in.base.boottime);
    if (record.hold->duration && in.base.boottime - since >= *record.hold->duration) return std::nullopt;
    view.since = since;
    if (record.hold->duration) view.until = since + *record.hold->duration;
    view.reason = core::printable(record.hold->reason, 512);
    view.needs_reset = true;
    return view;
  }
  // How long a back-off lasts is the service's own option, so its own last word counts.
  const auto word = last.find(view.service);
  if (word == last.end() || word->second.phase != Phase::kHeld || record.failures_in_a_row == 0) return std::nullopt;
  if (in.gone.contains(view.service)) return std::nullopt;
  view.state = HeldState::kBackingOff;
  view.since = word->second.since;
  view.reason = word->second.reason;
  return view;
}

/// Who waits without a ticket although no breaker says so: for memory, for the end of a safe boot, or for a record that
/// cannot be read. The log alone knows, so its word counts unless its writer is proven gone.
std::vector<HeldView> held_by_their_own_word(const GateReadings& in, const GateView& view,
                                             const std::map<std::string, ServiceView>& last) {
  std::set<std::string> known;
  for (const auto& holder : view.holders) known.insert(holder.service);
  for (const auto& waiter : view.queue) known.insert(waiter.service);
  for (const auto& held : view.held) known.insert(held.service);
  std::set<std::string> with_record;
  for (const auto& record : in.breakers) with_record.insert(core::printable(record.service, 128));
  std::vector<HeldView> out;
  for (const auto& [name, word] : last) {
    if (known.contains(name) || in.gone.contains(name)) continue;
    const bool short_of_memory = word.phase == Phase::kQueued && !word.has_ticket;
    // A readable record without a hold means that it was reset: the service notices within a second.
    const bool held = word.phase == Phase::kHeld && (in.safe_boot || !with_record.contains(name));
    if (!short_of_memory && !held) continue;
    HeldView entry;
    entry.service = name;
    entry.state = held ? HeldState::kHeld : HeldState::kShortMemory;
    entry.since = word.since;
    entry.reason = word.reason;
    out.push_back(std::move(entry));
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &HeldView::since);
  if (out.size() > kMaxServices) out.resize(kMaxServices);
  return out;
}

}  // namespace

GateView make_gate_view(const GateReadings& in) {
  GateView view;
  view.path = in.path;
  view.id = in.id;
  view.base = in.base;
  view.monotonic = in.monotonic;
  view.pause = in.pause;
  view.safe_boot = in.safe_boot;
  view.damaged_breakers = in.damaged_breakers;
  view.log_garbage = in.log.garbage;
  sort_tickets(in, view);
  const auto last = last_words(in);
  for (auto& holder : view.holders) {
    const auto word = last.find(holder.service);
    if (word != last.end()) holder.doing = gate::phase_name(word->second.phase);
  }
  for (const auto& record : in.breakers) {
    if (auto held = held_of(record, in, last)) view.held.push_back(std::move(*held));
  }
  for (auto& held : held_by_their_own_word(in, view, last)) view.held.push_back(std::move(held));
  for (const auto& [name, service] : last) view.services.push_back(service);
  std::ranges::stable_sort(view.services, std::ranges::greater(), &ServiceView::since);
  if (view.services.size() > kMaxServices) view.services.resize(kMaxServices);
  return view;
}

}  // namespace antifreeze::cli
