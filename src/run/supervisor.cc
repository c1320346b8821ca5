#include "run/supervisor.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "gate/breaker_decide.h"
#include "gate/mutant.h"
#include "run/holding.h"
#include "run/tree.h"

namespace antifreeze::run {
namespace {

/// A tree that does not die is named this often.
constexpr core::Nanos kPatience = std::chrono::seconds(10);

bool asks_to_stop(int signal) { return signal == SIGTERM || signal == SIGINT || signal == SIGQUIT; }

}  // namespace

Supervisor::Supervisor(Context& context, const gate::GateDir* dir, std::optional<gate::OwnTicket> ticket,
                       std::unique_ptr<Readiness> readiness, Launch launch)
    : context_(context),
      dir_(dir),
      ticket_(std::move(ticket)),
      readiness_(std::move(readiness)),
      launch_(std::move(launch)),
      held_(ticket_.has_value()) {}

int Supervisor::run() {
  exec_at_ = context_.clock.monotonic();
  exec_boot_ = context_.clock.boottime();
  if (dir_ != nullptr) {
    const auto memory = context_.memory.read();
    update_breaker(context_, *dir_, [&](gate::BreakerRecord& record, const gate::BreakerNow& now) {
      gate::after_start(record, now, memory ? memory->available : std::nullopt);
    });
  }
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    context_.report.say("this kernel or emulator has no subreapers: a server's orphans may be missed");
  }
  launch_.ticket_fd = ticket_ ? ticket_->fd() : -1;
  auto keeper = start_keeper(launch_, context_.signals, context_.clock, context_.processes);
  if (!keeper) {
    context_.report.say("cannot start: " + keeper.error().message());
    gone_ = true;
    return depart();
  }
  keeper_ = std::move(*keeper);
  if (readiness_->tap() != nullptr) readiness_->tap()->close_server_ends();
  readiness_->started(keeper_.pid, exec_at_);
  gate::StallPolicy stall_policy;
  stall_policy.timeout = context_.config.stall_timeout;
  stall_.emplace(stall_policy, exec_at_);
  next_ticket_look_ = exec_at_ + std::chrono::seconds(1);
  if (gate::mutant("early_release") && ticket_) {
    (void)ticket_->release().has_value();
    held_ = false;
  }

  while (!gone_) {
    const auto now = context_.clock.monotonic();
    on_signals(now);
    hear_keeper(now);
    if (status_ || exec_error_) readiness_->stop();
    readiness_->pass_on();
    if (keeper_lost_ && !gone_) kill_pause_ = kill_tree(context_.processes, server_, kill_pause_);
    if (gone_) break;
    wake_at_ = now + std::chrono::hours(24);
    if (!status_ && !exec_error_) step(now);
    if (held_) care_for_ticket(now);
    stop_patience(now);
    sleep(now);
  }
  pass_on_the_rest();
  return depart();
}

/// Nobody writes any more: what is still in the pipes is the server's last words.
void Supervisor::pass_on_the_rest() {
  auto* tap = readiness_->tap();
  const auto give_up = context_.clock.monotonic() + std::chrono::seconds(1);
  while (tap != nullptr && tap->is_open() && context_.clock.monotonic() < give_up) {
    tap->pump();
    std::vector<pollfd> fds;
    tap->add_pollfds(fds);
    if (!fds.empty()) (void)context_.signals.wait(fds, std::chrono::milliseconds(10)).has_value();
  }
}

void Supervisor::on_signals(core::MonoTime now) {
  const auto noted = host::Signals::take();
  if (noted == 0) return;
  if ((noted & host::signal_bit(SIGCHLD)) != 0) {
    for (;;) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG);
      if (pid < 0 && keeper_lost_ && errno == ECHILD) gone_ = true;
      if (pid <= 0) break;
      on_child(pid, status, now);
    }
  }
  for (int signal = 1; signal <= 64; ++signal) {
    if ((noted & host::signal_bit(signal)) == 0 || !host::is_forwarded(signal)) continue;
    if (asks_to_stop(signal) && !asked_to_stop_) {
      asked_to_stop_ = true;
      context_.notify.stopping();
      context_.report.phase(gate::Phase::kStopping, "signal " + std::to_string(signal));
      // A serving engine may drain as long as whoever stops it allows; a half-started one has nothing to drain.
      if (stage_ != Stage::kServing || !proven_ready_) kill_at_ = now + context_.config.grace;
    }
    if (keeper_lost_) continue;
    (void)send_message(keeper_.link.get(), {Say::kSignal, signal}).has_value();
  }
}

void Supervisor::on_child(pid_t pid, int status, core::MonoTime now) {
  if (pid == keeper_.pid) {
    hear_keeper(now);
    if (!gone_) keeper_lost();
  } else if (pid == server_ && server_ > 0) {
    status_ = status;
  } else {
    (void)readiness_->child_ended(pid, status, now);
  }
}

void Supervisor::hear_keeper(core::MonoTime now) {
  while (!gone_ && !keeper_lost_) {
    const auto received = receive_message(keeper_.link.get());
    if (received.message) {
      on_message(*received.message, now);
      continue;
    }
    if (received.closed) keeper_lost();
    return;
  }
}

void Supervisor::on_message(const Message& message, core::MonoTime) {
  switch (message.say) {
    case Say::kStarted:
      server_ = message.value;
      context_.signals.catch_realtime();
      // Told after the fact: the server need not wait for the line to be written.
      context_.report.phase(gate::Phase::kStarting, core::printable(launch_.path, 200));
      break;
    case Say::kExecFailed:
      exec_error_ = message.value;
      context_.report.say(core::errno_error("cannot run " + launch_.path, message.value).message());
      break;
    case Say::kEnded:
      status_ = message.value;
      if (!asked_to_stop_)
        context_.report.phase(gate::Phase::kStopping,
                              "the server ended with " + std::to_string(exit_code_of(message.value)));
      break;
    case Say::kGone:
      gone_ = true;
      break;
    default:
      break;
  }
}

/// The other half was killed: its children are ours now (we are the next subreaper); end them all (rule X1).
void Supervisor::keeper_lost() {
  if (keeper_lost_) return;
  keeper_lost_ = true;
  context_.report.phase(gate::Phase::kStopping, "the keeper was killed; ending the server with it");
  if (gate::mutant("no_keeper")) gone_ = true;
}

void Supervisor::end_tree(std::string_view why, core::MonoTime now) {
  killed_by_us_ = true;
  context_.report.phase(gate::Phase::kStopping, why);
  if (!keeper_lost_) (void)send_message(keeper_.link.get(), {Say::kSignal, SIGTERM}).has_value();
  kill_at_ = now + context_.config.grace;
}

/// Bounds a stop that we are responsible for, and names what does not die.
void Supervisor::stop_patience(core::MonoTime now) {
  if (kill_at_ && now >= *kill_at_ && !keeper_lost_) {
    (void)send_message(keeper_.link.get(), {Say::kKill, 0}).has_value();
    kill_at_.reset();
    next_patience_ = now + kPatience;
  }
  if (kill_at_) wake_at_ = std::min(wake_at_, *kill_at_);
  if (keeper_lost_) wake_at_ = std::min(wake_at_, now + kill_pause_);
  const bool ending = status_ || exec_error_ || keeper_lost_ || next_patience_.ns != 0;
  if (!ending) return;
  if (next_patience_.ns == 0) next_patience_ = now + kPatience;
  if (now >= next_patience_) {
    next_patience_ = now + kPatience;
    for (const auto& process : context_.processes.descendants(keeper_lost_ ? ::getpid() : keeper_.pid)) {
      context_.report.say("still waiting for process " + std::to_string(process.pid) + " (" +
                          core::printable(process.comm, 16) + ", state " + std::string(1, process.state) + ")");
    }
  }
  wake_at_ = std::min(wake_at_, next_patience_);
}

void Supervisor::sleep(core::MonoTime now) {
  std::vector<pollfd> fds;
  if (!keeper_lost_) fds.push_back({keeper_.link.get(), POLLIN, 0});
  readiness_->add_pollfds(fds);
  const auto ready = context_.signals.wait(fds, wake_at_ - now);
  if (!ready) context_.report.say(ready.error().message());
}

}  // namespace antifreeze::run
