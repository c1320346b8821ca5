// The end: what the breaker learns, what is left for the next one, and the exit code.
#include <sys/wait.h>

#include <cerrno>

#include "core/units.h"
#include "gate/breaker_decide.h"
#include "gate/neighbours.h"
#include "run/holding.h"
#include "run/supervisor.h"
#include "run/tree.h"

namespace antifreeze::run {
namespace {
/// Memory of a server that has just ended may still be on its way back; after a minute it is not.
constexpr core::Nanos kMarkLasts = std::chrono::seconds(60);
}  // namespace

int Supervisor::depart() {
  readiness_->stop();
  // It has nothing left to do; whoever gets our children shall not get its zombie.
  if (keeper_.pid > 0 && !keeper_lost_) (void)core::retry_eintr([&] { return ::waitpid(keeper_.pid, nullptr, 0); });
  int code = kExitOwnFailure;
  if (exec_error_)
    code = *exec_error_ == ENOENT ? kExitNotFound : kExitNotExecutable;
  else if (status_)
    code = exit_code_of(*status_);
  else if (keeper_lost_)
    code = kExitSignalBase + SIGKILL;
  if (dir_ != nullptr) {
    settle_account(code);
    leave_mark();
  }
  Extra extra;
  extra.exit_code = code;
  context_.report.phase(gate::Phase::kExited, "exit code " + std::to_string(code), extra);
  return code;
}

void Supervisor::settle_account(int code) {
  const bool finished = context_.config.hold_until_exit && code == 0;
  std::string next;
  const auto lived = context_.clock.monotonic() - exec_at_;
  const auto what = "exit code " + std::to_string(code) + " after " +
                    core::format_duration(std::chrono::duration_cast<std::chrono::milliseconds>(lived));
  const auto record = update_breaker(context_, *dir_, [&](gate::BreakerRecord& entry, const gate::BreakerNow& now) {
    if (finished) return gate::after_finished(entry, now);
    if (asked_to_stop_ && !killed_by_us_) return gate::after_asked_to_stop(entry, now);
    const auto outcome = gate::after_failure(entry, now, context_.config.breaker, what);
    if (outcome.counted) next = gate::next_start_text(outcome.next, entry.failures_in_a_row, now.boottime);
  });
  if (next.empty()) return;
  std::string meanwhile;
  if (!proven_ready_) {
    for (const auto& name :
         gate::neighbours_that_left(*dir_, context_.config.name, exec_boot_, context_.identity.boot_id)) {
      meanwhile += (meanwhile.empty() ? ", while " : ", ") + name;
    }
    if (!meanwhile.empty()) meanwhile += " ended (memory that comes back during a start upsets the engine's sizing)";
  }
  // vLLM exits with 0 after its engine died, so 0 alone excuses nothing; but a job has to be told how to say that it is
  // one.
  if (code == 0 && !context_.config.hold_until_exit && (!proven_ready_ || !readiness_->asks())) {
    meanwhile += " (a command that is meant to end needs --hold-until-exit)";
  }
  context_.report.say("failed start: " + what + meanwhile + "; " + next);
  if (const auto loss = gate::memory_loss(record)) context_.report.say(gate::memory_loss_text(*loss));
}

/// The next start waits until the memory of this one is back. Every process is proven gone, so a cleared ticket will
/// do.
void Supervisor::leave_mark() {
  const auto ended = context_.clock.monotonic();
  const bool no_memory_matters = context_.config.settle.fixed && context_.config.settle.fixed == core::Nanos(0);
  if (held_) {
    held_ = false;
    auto done = no_memory_matters ? ticket_->release() : ticket_->write_cleared(ended);
    if (!done) context_.report.say(done.error().message());
    return;  // the lock goes with this process
  }
  if (!ticket_ || no_memory_matters || server_ == 0) return;
  gate::Ticket mark = ticket_->content();
  mark.state = gate::TicketState::kCleared;
  mark.granted = ended;
  mark.ended = ended;
  mark.deadline = ended + kMarkLasts;
  const auto now = context_.clock.boottime();
  auto made = gate::OwnTicket::create(*dir_, std::move(mark), now);
  if (!made) return;  // a full directory: the next one merely does without
  const auto give_up = ended + std::chrono::seconds(1);
  const auto lock = dir_->lock_registry([&] { return context_.clock.monotonic() < give_up; }, context_.signals);
  if (!lock || !made->publish(*lock, now, 0)) (void)made->release().has_value();
  ticket_ = std::move(*made);  // stays locked until we exit, a moment later
}

}  // namespace antifreeze::run
