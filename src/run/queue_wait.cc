#include "run/queue_wait.h"

#include <unistd.h>

#include <array>

#include "core/text.h"
#include "gate/gate_state.h"
#include "gate/mutant.h"
#include "host/dir_edit.h"
#include "host/ofd_lock.h"

namespace antifreeze::run {
namespace {

/// How long a sleep on another's ticket lasts before everything is looked at again (rule W2: each fourth tick).
constexpr core::Nanos kLookAgain = std::chrono::seconds(1);
constexpr core::Nanos kRegistrySlow = std::chrono::seconds(2);
constexpr core::Nanos kRegistryBroken = std::chrono::seconds(10);
constexpr core::Nanos kRegistrySayAgain = std::chrono::seconds(60);
/// Beyond start time-out and settle cap: reclaiming, and a holder that is slow to act on its own time-out (rule H4).
constexpr core::Nanos kDeadlineSlack = std::chrono::seconds(60);
/// A hold without an end of its own; the supervisor renews it.
constexpr core::Nanos kRenewedHold = std::chrono::minutes(2);

core::Nanos hold_length(const Config& config) {
  if (config.hold_until_exit || config.start_timeout == core::Nanos(0)) {
    return std::min<core::Nanos>(config.reclaim.cap, gate::kLongestHold / 8) + kRenewedHold;
  }
  // The supervisor renews it; a sum that overflows, or that others cut short (kLongestHold), would be none.
  const auto part = [](core::Nanos time) { return std::min<core::Nanos>(time, gate::kLongestHold / 8); };
  return part(config.reclaim.cap) + part(config.start_timeout) + part(config.settle.fixed.value_or(config.settle.cap)) +
         part(config.grace) + kDeadlineSlack;
}

std::string service_of(const gate::SeenTicket& seen) {
  return seen.ticket ? core::printable(seen.ticket->service, 64) : "an unreadable ticket (" + seen.name + ")";
}

}  // namespace

/// One look at the queue: what was decided, and what to sleep on.
struct QueueWait::Look {
  gate::QueueDecision decision;
  core::Fd blocker;
  std::string behind;
  std::string pause_reason;
  std::vector<Wreck> wrecks;
};

QueueWait::QueueWait(Context& context, const gate::GateDir& dir, std::vector<std::string> domains)
    : context_(context), dir_(dir), domains_(std::move(domains)) {}

std::variant<Granted, NotGranted> QueueWait::wait(std::string_view reason) {
  if (auto failed = enter(reason)) return leave(std::move(*failed));
  for (;;) {
    if (auto end = check_end()) return leave(std::move(*end));
    auto seen = look();
    if (!seen) {
      if (interrupted_) return leave(std::move(*interrupted_));
      return leave({NotGranted::Why::kBroken, 0, seen.error().message()});
    }
    if (seen->decision.turn == gate::Turn::kGranted) return Granted{std::move(*ticket_), std::move(seen->wrecks)};
    tell(*seen);
    learn_who_sleeps(seen->decision, context_.clock.monotonic());
    if (auto end = sleep(*seen)) return leave(std::move(*end));
  }
}

std::optional<NotGranted> QueueWait::enter(std::string_view reason) {
  entered_ = context_.clock.monotonic();
  gate::Ticket content;
  content.service = context_.config.name;
  content.priority = context_.config.priority;
  content.domains = domains_;
  content.boot_id = context_.identity.boot_id;
  content.gate_id = dir_.id();
  content.pid_namespace = context_.identity.pid_namespace;
  content.pid = ::getpid();
  const auto now = context_.clock.boottime();
  content.gather_until = content.arrival + context_.config.gather.value_or(gate::default_gather(now));
  const auto broken = [](const core::Error& error) { return NotGranted{NotGranted::Why::kBroken, 0, error.message()}; };
  auto made = gate::OwnTicket::create(dir_, std::move(content), now);
  if (!made) return broken(made.error());
  ticket_ = std::move(*made);
  {
    auto registry = lock_registry();
    if (!registry) return interrupted_ ? *interrupted_ : broken(registry.error());
    const auto arrival = context_.clock.boottime();
    const auto others = dir_.list("", arrival);
    if (!others) return broken(others.error());
    if (auto published = ticket_->publish(*registry, arrival, others->tickets.size()); !published) {
      return broken(published.error());
    }
  }
  context_.report.phase(gate::Phase::kQueued, reason,
                        {.ticket = ticket_->name(), .behind = {}, .ahead = {}, .exit_code = {}, .lost_bytes = {}});
  return std::nullopt;
}

std::optional<NotGranted> QueueWait::check_end() {
  if (const auto signal = asked_to_end()) return NotGranted{NotGranted::Why::kSignal, *signal, "asked to end"};
  const auto& limit = context_.config.wait_timeout;
  const auto waited = context_.clock.monotonic() - entered_;
  if (limit > core::Nanos(0) && waited >= limit) {
    return NotGranted{NotGranted::Why::kTimeout, 0,
                      "queued for " + core::format_duration(limit) + ", the --wait-timeout"};
  }
  return std::nullopt;
}

core::Result<gate::RegistryLock> QueueWait::lock_registry() {
  const auto began = context_.clock.monotonic();
  auto say_at = kRegistrySlow;
  return dir_.lock_registry(
      [&] {
        interrupted_ = check_end();
        if (interrupted_) return false;
        const auto waited = context_.clock.monotonic() - began;
        if (waited < say_at) return true;
        const bool is_broken = waited >= kRegistryBroken;
        context_.report.say(
            "the gate's registry has been locked for " + core::format_duration(waited) +
            (is_broken ? " (gate_broken); 'antifreeze gate reset --registry' on the host replaces it" : ""));
        say_at = !is_broken ? kRegistryBroken : waited + kRegistrySayAgain;
        if (is_broken && context_.config.on_gate_error == OnFailure::kProceed) {
          interrupted_ = NotGranted{NotGranted::Why::kBroken, 0, "gate_broken: the registry stays locked"};
          return false;
        }
        return true;
      },
      context_.signals);
}

core::Result<QueueWait::Look> QueueWait::look() {
  auto registry = lock_registry();
  if (!registry) return std::move(registry).error();
  if (!ticket_->is_linked()) {
    context_.report.say("tampered: somebody removed our ticket; a new one takes its place");
    if (auto made = ticket_->republish(*registry, context_.clock.boottime()); !made) return std::move(made).error();
  }
  const auto now = context_.clock.boottime();
  auto listing = dir_.list(ticket_->name(), now);
  if (!listing) return std::move(listing).error();
  const auto pause = gate::active_pause(dir_, now, context_.identity.boot_id);
  Look seen;
  seen.decision =
      gate::decide_turn({ticket_->name(), ticket_->content(), listing->tickets, now, context_.clock.monotonic(),
                         context_.identity.boot_id, passed_over_, pause ? std::optional(pause->until) : std::nullopt});
  if (pause) seen.pause_reason = pause->pause.reason;
  tidy(*listing, seen.decision);
  for (const auto index : seen.decision.wrecks) {
    const auto& wreck = listing->tickets[index];
    const bool cleared = wreck.ticket && wreck.ticket->state == gate::TicketState::kCleared;
    seen.wrecks.push_back({wreck.name, service_of(wreck), cleared, cleared ? wreck.ticket->ended : std::nullopt});
  }
  if (gate::mutant("no_wreck")) seen.wrecks.clear();
  if (gate::mutant("no_registry_lock")) ::usleep(20'000);  // makes the race that the lock closes easy to meet
  if (seen.decision.blocker) {
    seen.behind = service_of(listing->tickets[*seen.decision.blocker]);
    seen.blocker = std::move(listing->fds[*seen.decision.blocker]);
  }
  if (seen.decision.turn == gate::Turn::kGranted) {
    // Rule E3: the registry may have been replaced while we looked; then nothing of this counts.
    if (!gate::mutant("no_registry_lock") && !registry->is_current()) {
      seen.decision.turn = gate::Turn::kGathering;
      seen.decision.retry_at = now;
      return seen;
    }
    if (auto granted = grant(*registry); !granted) return std::move(granted).error();
  }
  return seen;
}

core::Status QueueWait::grant(const gate::RegistryLock&) {
  auto& content = ticket_->content();
  const auto now = context_.clock.monotonic();
  content.state = gate::TicketState::kHolding;
  content.granted = now;
  content.deadline = now + hold_length(context_.config);
  return ticket_->write();
}

void QueueWait::tidy(const gate::Listing& listing, const gate::QueueDecision& decision) {
  // A sticky directory may forbid it; what is left behind means nothing to anybody.
  for (const auto index : decision.rubbish) {
    (void)host::unlink_at(dir_.fd(), listing.tickets[index].name).has_value();
  }
  for (const auto& name : listing.strays) (void)host::unlink_at(dir_.fd(), name).has_value();
  for (const auto index : decision.overdue) {
    const auto& seen = listing.tickets[index];
    if (!told_overdue_.insert(seen.name).second) continue;
    context_.report.say("overdue: " + service_of(seen) + " holds the gate beyond its deadline (pid " +
                        std::to_string(seen.ticket ? seen.ticket->pid : 0) +
                        ", paused or stuck?); it is not waited for any longer");
  }
}

void QueueWait::tell(const Look& look) {
  const auto& decision = look.decision;
  std::string text;
  Extra extra;
  extra.ticket = ticket_->name();
  if (decision.turn == gate::Turn::kPaused) {
    text = "the gate is paused: " + core::printable(look.pause_reason, 128);
  } else if (decision.turn == gate::Turn::kBlocked) {
    text = "behind " + look.behind + ", " + std::to_string(decision.ahead) + " ahead";
    extra.behind = look.behind;
    extra.ahead = static_cast<std::int64_t>(decision.ahead);
  }
  if (!text.empty() && text != told_) context_.report.phase(gate::Phase::kQueued, text, extra);
  if (!text.empty()) told_ = text;
  context_.notify.waiting("queued " + text, context_.clock.monotonic());
}

void QueueWait::learn_who_sleeps(const gate::QueueDecision& decision, core::MonoTime now) {
  std::map<std::string, core::MonoTime> since;
  for (const auto& name : decision.could_go) {
    const auto known = could_go_since_.find(name);
    const auto began = known == could_go_since_.end() ? now : known->second;
    since[name] = began;
    if (now - began < gate::kPassOverAfter || !passed_over_.insert(name).second) continue;
    context_.report.say("passed over: " + name + " could have started for " +
                        core::format_duration(gate::kPassOverAfter) + " and did not (paused?)");
  }
  could_go_since_ = std::move(since);
}

std::optional<NotGranted> QueueWait::sleep(const Look& look) {
  const auto began = context_.clock.monotonic();
  auto until = began + kLookAgain;
  if (context_.config.wait_timeout > core::Nanos(0)) until = std::min(until, entered_ + context_.config.wait_timeout);
  if (!look.blocker.valid()) {
    auto wait = std::min<core::Nanos>(until - began, kLookAgain);
    if (look.decision.turn != gate::Turn::kBlocked) {
      wait = std::min<core::Nanos>(wait, look.decision.retry_at - context_.clock.boottime());
    }
    // A pause may be lifted at any time; half a second is soon enough.
    if (look.decision.turn == gate::Turn::kPaused) wait = std::min<core::Nanos>(wait, std::chrono::milliseconds(500));
    (void)context_.signals.wait({}, wait).has_value();
    return std::nullopt;
  }
  for (;;) {
    const auto waited =
        context_.signals.interruptible([&] { return host::wait_lock(look.blocker.get(), host::LockKind::kRead); });
    if (!waited)
      return NotGranted{NotGranted::Why::kBroken, 0, "cannot wait for the one in front: " + waited.error().message()};
    if (*waited == host::LockWait::kLocked) return std::nullopt;
    if (auto end = check_end()) return end;
    if (context_.clock.monotonic() >= until) return std::nullopt;
  }
}

NotGranted QueueWait::leave(NotGranted why) {
  if (ticket_) (void)ticket_->release().has_value();  // a tampered directory must not keep us from leaving
  ticket_.reset();
  return why;
}

}  // namespace antifreeze::run
