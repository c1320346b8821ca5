// The three clocks. Every other place is given a Clock, so that tests own the time.
#pragma once

#include "core/time.h"

namespace antifreeze::host {

/// Tells the time. Never fails: the three clocks exist on every Linux that we run on.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual core::BootTime boottime() const = 0;
  [[nodiscard]] virtual core::MonoTime monotonic() const = 0;
  [[nodiscard]] virtual core::WallTime wall() const = 0;
};

/// The kernel's clocks, with our time namespace's offsets taken out, so that all containers of a host agree.
class RealClock final : public Clock {
 public:
  /// Reads the offsets once: they cannot change under a running process. Without the file (old kernel) they are 0.
  explicit RealClock(const char* timens_offsets = "/proc/self/timens_offsets");
  [[nodiscard]] core::BootTime boottime() const override;
  [[nodiscard]] core::MonoTime monotonic() const override;
  [[nodiscard]] core::WallTime wall() const override;

 private:
  core::Nanos monotonic_offset_{0};
  core::Nanos boottime_offset_{0};
};

}  // namespace antifreeze::host
