// Starting, settling and serving: what the supervisor does in each, and when it goes on to the next.
#include <algorithm>

#include "core/text.h"
#include "core/units.h"
#include "gate/breaker_decide.h"
#include "gate/mutant.h"
#include "run/holding.h"
#include "run/supervisor.h"
#include "run/tree.h"

namespace antifreeze::run {
namespace {

constexpr core::Nanos kTicketLook = std::chrono::seconds(1);
constexpr core::Nanos kRenewBelow = std::chrono::seconds(30);
constexpr core::Nanos kRenewedHold = std::chrono::minutes(2);

}  // namespace

void Supervisor::step(core::MonoTime now) {
  switch (stage_) {
    case Stage::kStarting:
      step_starting(now);
      break;
    case Stage::kSettling:
      step_settling(now);
      break;
    case Stage::kServing:
      step_serving(now);
      break;
  }
}

void Supervisor::step_starting(core::MonoTime now) {
  if (server_ == 0) return;  // not started yet: the keeper will say so
  const auto answer = readiness_->step(now);
  if (asked_to_stop_) return;
  if (answer.ready) {
    proven_ready_ = true;
    begin_settling(answer.text, now);
    return;
  }
  wake_at_ = std::min(wake_at_, readiness_->next_step(now));
  const auto& config = context_.config;
  if (config.start_timeout > core::Nanos(0) && !config.hold_until_exit) {
    const auto cap = exec_at_ + config.start_timeout;
    if (now >= cap) {
      on_start_timeout("not ready after " + core::format_duration(config.start_timeout) + " (" + answer.text + ")",
                       now);
      return;
    }
    wake_at_ = std::min(wake_at_, cap);
  }
  if (readiness_->tap() != nullptr && readiness_->tap()->take_activity()) stall_->progress(now);
  if (config.stall_timeout == core::Nanos(0)) return;
  if (now >= next_stall_look_) {
    // Four looks a time-out, so that progress just after one is not taken for a stall at the next.
    next_stall_look_ = now + std::clamp<core::Nanos>(config.stall_timeout / 16, std::chrono::milliseconds(20),
                                                     std::chrono::seconds(5));
    const auto used = usage_below(context_.processes, keeper_.pid);
    const auto verdict = stall_->feed({now, used.cpu_ticks, used.io_bytes, used.rss_bytes});
    if (verdict.stalled) {
      on_start_timeout("no CPU, I/O or memory progress for " + core::format_duration(config.stall_timeout) + " (" +
                           answer.text + ")",
                       now);
      return;
    }
  }
  wake_at_ = std::min(wake_at_, next_stall_look_);
}

void Supervisor::on_start_timeout(std::string why, core::MonoTime now) {
  readiness_->stop();
  if (context_.config.on_timeout == OnTimeout::kKill) {
    context_.report.say(why + "; ending it (--on-timeout kill)");
    end_tree(why, now);
    stage_ = Stage::kServing;
    return;
  }
  context_.report.say(why + "; letting the others go on after settling (--on-timeout release)");
  begin_settling("unproven: " + why, now);
}

void Supervisor::begin_settling(std::string why, core::MonoTime now) {
  readiness_->stop();
  stage_ = Stage::kSettling;
  if (dir_ != nullptr && proven_ready_) {
    update_breaker(context_, *dir_,
                   [](gate::BreakerRecord& record, const gate::BreakerNow& at) { gate::after_ready(record, at); });
  }
  context_.report.phase(gate::Phase::kSettling, why);
  auto policy = context_.config.settle;
  if (!policy.fixed && context_.memory.kind() == host::MemoryKind::kDiscrete) {
    policy.fixed = policy.cap;
    context_.report.detail("device memory cannot be seen from here; settling for a fixed " +
                           core::format_duration(policy.cap));
  }
  if (!held_ || gate::mutant("no_settle")) policy.fixed = core::Nanos(0);
  const auto memory = context_.memory.read();
  now = context_.clock.monotonic();  // telling the breaker may have taken a while, and settling counts from here
  settle_.emplace(policy, now, memory ? memory->total : std::nullopt);
  next_sample_ = now;
  step_settling(now);
}

gate::SettleSample Supervisor::memory_sample(core::MonoTime now) {
  gate::SettleSample sample{now, std::nullopt, std::nullopt};
  if (const auto reading = context_.memory.read()) {
    sample.free = reading->free;
    sample.available = reading->available;
  }
  return sample;
}

void Supervisor::step_settling(core::MonoTime now) {
  if (asked_to_stop_) return;
  if (now < next_sample_) {
    wake_at_ = std::min(wake_at_, next_sample_);
    return;
  }
  const auto verdict = settle_->feed(memory_sample(now));
  if (verdict.settled) {
    if (context_.config.hold_until_exit) {
      stage_ = Stage::kServing;
      ready_at_ = now;
      context_.report.detail("holding the gate until the command ends (--hold-until-exit)");
      return;
    }
    become_ready(verdict.text, now);
    return;
  }
  const auto cadence = std::clamp<core::Nanos>(context_.config.settle.floor / 10, std::chrono::milliseconds(10),
                                               std::chrono::milliseconds(250));
  next_sample_ = std::min(now + cadence, std::max(verdict.latest, now + std::chrono::milliseconds(1)));
  wake_at_ = std::min(wake_at_, next_sample_);
}

void Supervisor::become_ready(std::string_view how, core::MonoTime now) {
  stage_ = Stage::kServing;
  ready_at_ = now;
  // The log first: whoever reads it sees "ready" before the next one's "granted".
  context_.report.phase(gate::Phase::kReady, (proven_ready_ ? "settled: " : "unproven, released: ") + std::string(how));
  if (held_) {
    held_ = false;
    if (auto released = ticket_->release(); !released) context_.report.say("release: " + released.error().message());
  }
  if (proven_ready_) context_.notify.ready("ready");
  wake_at_ = now;  // once more round the loop, for step_serving to say when it wants to be called
}

void Supervisor::step_serving(core::MonoTime now) {
  if (healthy_told_ || !ready_at_ || !proven_ready_ || dir_ == nullptr || asked_to_stop_) return;
  const auto healthy_at = *ready_at_ + context_.config.breaker.healthy_after;
  if (now < healthy_at) {
    wake_at_ = std::min(wake_at_, healthy_at);
    return;
  }
  healthy_told_ = true;
  update_breaker(context_, *dir_,
                 [](gate::BreakerRecord& record, const gate::BreakerNow& at) { gate::after_healthy(record, at); });
}

/// Rule H5, and the renewal of holds that may last.
void Supervisor::care_for_ticket(core::MonoTime now) {
  if (now >= next_ticket_look_) {
    next_ticket_look_ = now + kTicketLook;
    if (!ticket_->is_linked()) {
      context_.report.say("tampered: somebody removed our ticket while we hold the gate; a new one takes its place");
      const auto give_up = now + std::chrono::seconds(1);
      const auto lock = dir_->lock_registry([&] { return context_.clock.monotonic() < give_up; }, context_.signals);
      auto made = lock ? ticket_->republish(*lock, context_.clock.boottime()) : core::Status(lock.error());
      if (made && !keeper_lost_) made = send_message(keeper_.link.get(), {Say::kTicket, 0}, ticket_->fd());
      if (!made) context_.report.say(made.error().message());
    }
  }
  wake_at_ = std::min(wake_at_, next_ticket_look_);
  // The deadline is for a wrapper that is frozen: as long as this one is alive and holds, it does not come.
  auto& content = ticket_->content();
  if (!content.deadline || *content.deadline - now < kRenewBelow) {
    content.granted = now;
    content.deadline = now + kRenewedHold;
    if (auto written = ticket_->write(); !written) context_.report.say(written.error().message());
  }
}

}  // namespace antifreeze::run
