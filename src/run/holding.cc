#include "run/holding.h"

#include "gate/breaker_decide.h"
#include "gate/breaker_file.h"
#include "gate/gate_state.h"

namespace antifreeze::run {
namespace {

/// How often a held service looks whether it was reset.
constexpr core::Nanos kLookAgain = std::chrono::seconds(1);

gate::BreakerNow now_of(const Context& context) {
  return {context.clock.boottime(), context.clock.wall(), context.identity.boot_id};
}

std::string describe(const gate::BreakerVerdict& verdict, core::BootTime now, const std::string& name) {
  std::string text = verdict.reason;
  if (verdict.until)
    text += "; next try in " + core::format_duration(std::chrono::duration_cast<std::chrono::seconds>(
                                   *verdict.until - now + std::chrono::milliseconds(999)));
  else
    text += "; 'antifreeze gate reset " + name + "' lets it start again";
  return text;
}

}  // namespace

gate::BreakerRecord update_breaker(Context& context, const gate::GateDir& dir,
                                   const std::function<void(gate::BreakerRecord&, const gate::BreakerNow&)>& change) {
  // A second is long for a lock that is held for microseconds; better an unlocked update than none.
  const auto give_up = context.clock.monotonic() + std::chrono::seconds(1);
  const auto lock =
      dir.lock_registry([&] { return context.clock.monotonic() < give_up && !end_is_asked(); }, context.signals);
  gate::BreakerRecord record;
  std::string problem;
  bool replace = false;
  if (!gate::breaker_is_ours(dir.fd(), context.config.name)) {
    problem = "its file belongs to another user";
    replace = true;
  } else if (auto loaded = gate::load_breaker(dir.fd(), context.config.name)) {
    record = std::move(*loaded);
  } else {
    problem = loaded.error().message();
    // Not what could merely not be read at this moment.
    replace = loaded.error().code() == core::ErrorCode::kTampered || loaded.error().code() == core::ErrorCode::kInvalid;
  }
  record.service = context.config.name;
  auto before = record;
  change(record, now_of(context));
  before.boot_id = record.boot_id;  // a new boot alone is nothing to write down
  // What is no record of ours is replaced at once: a file, link or FIFO can be, a directory or another user's cannot.
  const bool changed = !(record == before);
  const auto stored = changed || replace ? gate::store_breaker(dir.fd(), record) : core::Status();
  if (!stored) {
    context.report.say_once("breaker", "failed starts are not remembered: " +
                                           (problem.empty() ? stored.error().message() : problem + "; remove it"));
  } else if (!problem.empty()) {
    context.report.say_once("breaker", "breaker starts anew: " + problem);
  }
  return record;
}

std::optional<HoldEnd> wait_for_permission(Context& context, const gate::GateDir& dir) {
  std::string told;
  for (;;) {
    gate::BreakerVerdict verdict;
    std::string text;
    if (const auto reason = gate::safe_boot(dir); reason && !context.config.always) {
      text = "safe boot: " + *reason + "; 'antifreeze gate reset --safe-boot' lets servers start again";
    } else {
      update_breaker(context, dir, [&](gate::BreakerRecord& record, const gate::BreakerNow& now) {
        verdict = gate::before_start(record, now, context.config.breaker);
      });
      if (verdict.answer == gate::BreakerAnswer::kGo) return std::nullopt;
      text = verdict.reason;
    }
    const auto now = context.clock.boottime();
    if (text != told) {
      told = text;
      context.report.phase(gate::Phase::kHeld,
                           verdict.reason.empty() ? text : describe(verdict, now, context.config.name));
    }
    context.notify.waiting("held: " + text, context.clock.monotonic());
    auto nap = kLookAgain;
    if (verdict.until) nap = std::min<core::Nanos>(nap, *verdict.until - now);
    (void)context.signals.wait({}, nap).has_value();
    if (const auto signal = asked_to_end()) return HoldEnd{*signal};
  }
}

std::optional<HoldEnd> hold_for_memory(Context& context, const gate::GateDir& dir, std::string_view reason) {
  update_breaker(context, dir, [&](gate::BreakerRecord& record, const gate::BreakerNow& now) {
    gate::hold(record, now, context.config.breaker, reason);
  });
  return wait_for_permission(context, dir);
}

}  // namespace antifreeze::run
