// A probe that answers what the test wrote down.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "host/probe.h"

namespace antifreeze::host::fake {

/// Each start() takes the next of `answers`; one that was not written down ends with kError and is counted.
class ScriptedProbe final : public Probe {
 public:
  struct Answer {
    ProbeResult result;
    core::Nanos after{0};  ///< 0: at once; else when on_time() sees that much gone by
  };

  void then(ProbeResult::Kind kind, int status = 0, core::Nanos after = core::Nanos(0)) {
    answers_.push_back({{kind, status, ""}, after});
  }

  void start(const ProbeTarget& target, core::MonoTime now, core::Nanos timeout) override {
    asked.push_back(target.describe());
    cancel();
    if (answers_.empty()) {
      ++unscripted;
      result_ = ProbeResult{ProbeResult::Kind::kError, 0, "fake: no answer was scripted"};
      return;
    }
    const auto next = answers_.front();
    answers_.pop_front();
    if (next.after.count() == 0) {
      result_ = next.result;
      return;
    }
    const bool late = next.after > timeout;
    pending_ = late ? ProbeResult{ProbeResult::Kind::kTimeout, 0, "no answer in time"} : next.result;
    due_ = now + (late ? timeout : next.after);
  }
  [[nodiscard]] int fd() const override { return -1; }
  [[nodiscard]] short events() const override { return POLLIN; }
  [[nodiscard]] std::optional<core::MonoTime> deadline() const override { return due_; }
  void on_ready(short) override {}
  void on_time(core::MonoTime now) override {
    if (!due_ || now < *due_) return;
    result_ = pending_;
    due_.reset();
  }
  [[nodiscard]] std::optional<ProbeResult> result() const override { return result_; }
  void cancel() override {
    due_.reset();
    result_.reset();
  }

  std::vector<std::string> asked;  ///< ProbeTarget::describe() of each start
  int unscripted = 0;

 private:
  std::deque<Answer> answers_;
  std::optional<core::MonoTime> due_;
  std::optional<ProbeResult> pending_;
  std::optional<ProbeResult> result_;
};

}  // namespace antifreeze::host::fake
