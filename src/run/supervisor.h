// From exec to exit: the front half of the wrapper while its server lives.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gate/own_ticket.h"
#include "gate/settle_decide.h"
#include "gate/stall_decide.h"
#include "run/context.h"
#include "run/keeper.h"
#include "run/keeper_link.h"
#include "run/readiness.h"
#include "run/tree.h"

namespace antifreeze::run {

class Supervisor {
 public:
  /// `dir` is nullptr and `ticket` empty when the server starts without the gate.
  Supervisor(Context& context, const gate::GateDir* dir, std::optional<gate::OwnTicket> ticket,
             std::unique_ptr<Readiness> readiness, Launch launch);

  /// Starts the server and stays until its last process is gone. Returns the exit code of this program.
  int run();

 private:
  enum class Stage { kStarting, kSettling, kServing };

  // supervisor.cc: the loop and what it hears
  void on_signals(core::MonoTime now);
  void on_child(pid_t pid, int status, core::MonoTime now);
  void hear_keeper(core::MonoTime now);
  void on_message(const Message& message, core::MonoTime now);
  void keeper_lost();
  void end_tree(std::string_view why, core::MonoTime now);
  void stop_patience(core::MonoTime now);
  void sleep(core::MonoTime now);
  void pass_on_the_rest();

  // stages.cc: starting, settling, ready
  void step(core::MonoTime now);
  void step_starting(core::MonoTime now);
  void step_settling(core::MonoTime now);
  void step_serving(core::MonoTime now);
  void on_start_timeout(std::string why, core::MonoTime now);
  void begin_settling(std::string why, core::MonoTime now);
  void become_ready(std::string_view how, core::MonoTime now);
  void care_for_ticket(core::MonoTime now);
  gate::SettleSample memory_sample(core::MonoTime now);

  // departure.cc: breaker, ticket and exit code
  int depart();
  void settle_account(int code);
  void leave_mark();

  Context& context_;
  const gate::GateDir* dir_;
  std::optional<gate::OwnTicket> ticket_;
  std::unique_ptr<Readiness> readiness_;
  Launch launch_;
  Keeper keeper_;

  Stage stage_ = Stage::kStarting;
  core::MonoTime exec_at_{};
  core::BootTime exec_boot_{};
  core::MonoTime wake_at_{};  ///< soonest moment at which a stage has something to do
  std::optional<gate::StallWatch> stall_;
  core::MonoTime next_stall_look_{};
  std::optional<gate::SettleWatch> settle_;
  core::MonoTime next_sample_{};
  core::MonoTime next_ticket_look_{};
  std::optional<core::MonoTime> ready_at_;
  bool proven_ready_ = false;  ///< it answered, as against timed out
  bool healthy_told_ = false;
  bool held_ = false;  ///< the gate is held by us

  pid_t server_ = 0;
  std::optional<int> exec_error_;
  std::optional<int> status_;  ///< wait status of the server
  bool gone_ = false;          ///< no descendant is left
  bool keeper_lost_ = false;
  bool asked_to_stop_ = false;
  bool killed_by_us_ = false;  ///< --on-timeout kill
  std::optional<core::MonoTime> kill_at_;
  core::Nanos kill_pause_ = kKillSoon;
  core::MonoTime next_patience_{};
};

}  // namespace antifreeze::run
