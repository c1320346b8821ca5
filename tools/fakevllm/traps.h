// Planned accidents: crash, hang, wait for a file, be slow.
#pragma once

#include <cstdint>
#include <optional>

#include "fakevllm/config.h"

namespace antifreeze::fakevllm {

/// What a process has to do at the start of a phase, and when it has to crash.
class Traps {
 public:
  /// `in_parent`: only crashes meant for the parent count; the others are the engine's.
  Traps(const Config& config, bool in_parent) : config_(&config), in_parent_(in_parent) {}

  /// Arms what belongs to this phase; "times=N" is counted in a file under its lock, so N starts are hit.
  void enter(int phase);
  /// Moment of an armed crash, kNever for none.
  [[nodiscard]] std::int64_t crash_at() const { return crash_at_; }
  [[nodiscard]] bool hangs() const { return hangs_; }
  /// Crashes now, as planned.
  [[noreturn]] void crash() const;

 private:
  bool takes(const Trap& trap, const char* kind) const;

  const Config* config_;
  bool in_parent_;
  bool hangs_ = false;
  std::int64_t crash_at_ = kNever;
  Trap planned_;
};

}  // namespace antifreeze::fakevllm
