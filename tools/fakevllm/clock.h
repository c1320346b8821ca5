// Time as this server sees it: the monotonic clock, or a file that a test moves (--fake-clock).
#pragma once

#include <cstdint>
#include <string>

namespace antifreeze::fakevllm {

/// Copyable; holds no state but where time comes from and how fast it goes.
class Clock {
 public:
  Clock() = default;
  /// `file` empty: CLOCK_MONOTONIC. Else the file holds decimal nanoseconds. `speed` 10 makes durations a tenth.
  Clock(std::string file, double speed) : file_(std::move(file)), speed_(speed) {}

  [[nodiscard]] std::int64_t now_ns() const;
  [[nodiscard]] bool is_virtual() const { return !file_.empty(); }
  /// Real duration of `ns` of simulated work.
  [[nodiscard]] std::int64_t scaled(std::int64_t ns) const {
    return static_cast<std::int64_t>(static_cast<double>(ns) / speed_);
  }
  /// Milliseconds to hand to poll() so as to wake at `deadline_ns`; -1 for "no deadline" (INT64_MAX). A virtual clock
  /// gives no wake-up, so it is asked every 2 ms.
  [[nodiscard]] int poll_timeout(std::int64_t deadline_ns) const;

 private:
  std::string file_;
  double speed_ = 1;
};

inline constexpr std::int64_t kNever = INT64_MAX;
inline constexpr std::int64_t kMillisecond = 1'000'000;
inline constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace antifreeze::fakevllm
