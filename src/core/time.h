// Times and durations with their clock in the type, so that two clocks cannot be subtracted from each other.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace antifreeze::core {

using Nanos = std::chrono::nanoseconds;

/// A moment on one clock, in nanoseconds since that clock's zero.
template <typename Tag>
struct Moment {
  std::int64_t ns = 0;

  friend constexpr auto operator<=>(Moment, Moment) = default;
  friend constexpr Nanos operator-(Moment a, Moment b) { return Nanos(a.ns - b.ns); }
  friend constexpr Moment operator+(Moment a, Nanos d) { return {a.ns + d.count()}; }
  friend constexpr Moment operator-(Moment a, Nanos d) { return {a.ns - d.count()}; }
};

/// CLOCK_BOOTTIME of the initial time namespace: counts while suspended, the same in every container.
using BootTime = Moment<struct BootTimeTag>;
/// CLOCK_MONOTONIC of the initial time namespace: stands still while suspended.
using MonoTime = Moment<struct MonoTimeTag>;
/// CLOCK_REALTIME: only for people and for files that outlive a boot; it may step.
using WallTime = Moment<struct WallTimeTag>;

/// Reads "300ms", "30s", "15m", "2h", "1d" or "0"; a number without a unit is refused, as is anything negative.
Result<Nanos> parse_duration(std::string_view text);

/// Shortest exact form of what parse_duration reads ("300ms", "1.5s", "15m"); below 1 ms in "us".
std::string format_duration(Nanos duration);

/// RFC 3339 in UTC with milliseconds: "2026-03-01T12:00:00.123Z".
std::string format_rfc3339(WallTime time);

}  // namespace antifreeze::core
