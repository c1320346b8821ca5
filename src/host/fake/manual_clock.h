// A clock that stands still until told otherwise.
#pragma once

#include "host/clock.h"

namespace antifreeze::host::fake {

class ManualClock final : public Clock {
 public:
  /// All three clocks start at different values, so that mixing them up shows.
  ManualClock() = default;
  explicit ManualClock(core::BootTime boottime) : boottime_(boottime) {}

  [[nodiscard]] core::BootTime boottime() const override { return boottime_; }
  [[nodiscard]] core::MonoTime monotonic() const override { return monotonic_; }
  [[nodiscard]] core::WallTime wall() const override { return wall_; }

  /// Lets time pass on all clocks.
  void advance(core::Nanos by) {
    boottime_ = boottime_ + by;
    monotonic_ = monotonic_ + by;
    wall_ = wall_ + by;
  }
  /// The host sleeps: CLOCK_MONOTONIC stands still.
  void suspend(core::Nanos by) {
    boottime_ = boottime_ + by;
    wall_ = wall_ + by;
  }
  /// Somebody sets the wall clock.
  void step_wall(core::Nanos by) { wall_ = wall_ + by; }

 private:
  core::BootTime boottime_{1'000'000'000'000};
  core::MonoTime monotonic_{900'000'000'000};
  core::WallTime wall_{1'772'366'400'000'000'000};  // 2026-03-01T12:00:00Z
};

}  // namespace antifreeze::host::fake
