// The breaker: how often a service failed to start, kept across container restarts, dockerd's resets and reboots.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"

namespace antifreeze::gate {

/// At most so many failures are kept, so that a record stays far below its file's 4,096 bytes.
inline constexpr std::size_t kMaxFailuresKept = 16;

/// When to back off and when to give up.
struct BreakerPolicy {
  /// Kubernetes' CrashLoopBackOff: 10 s doubling to 300 s, forgotten after 10 healthy minutes (KEP-4603). Docker's own
  /// delay is reset after 10 s of life, which every engine reaches before it fails (moby, restartmanager).
  core::Nanos first_delay = std::chrono::seconds(10);
  core::Nanos delay_cap = std::chrono::seconds(300);
  core::Nanos healthy_after = std::chrono::minutes(10);
  /// So many failures within `failure_window` and the service is held; 0 = never. More than kMaxFailuresKept count as
  /// kMaxFailuresKept.
  int max_failures = 5;
  core::Nanos failure_window = std::chrono::minutes(30);
  /// How long it is held; nullopt: until a person resets it. When the time is up the count starts anew.
  std::optional<core::Nanos> held_for;
};

/// The moment of a decision, on both clocks, and the boot that `boottime` belongs to.
struct BreakerNow {
  core::BootTime boottime;
  core::WallTime wall;
  std::string_view boot_id;
};

/// A moment that outlives a boot: BOOTTIME of the record's boot for arithmetic, wall clock for the next boot.
struct BreakerStamp {
  core::BootTime boottime;
  core::WallTime wall;
  friend bool operator==(const BreakerStamp&, const BreakerStamp&) = default;
};

/// A start that has not ended yet.
struct BreakerAttempt {
  BreakerStamp start;
  std::optional<core::BootTime> ready;
  friend bool operator==(const BreakerAttempt&, const BreakerAttempt&) = default;
};

/// Set while nothing may be started.
struct BreakerHold {
  BreakerStamp since;
  std::optional<core::Nanos> duration;  ///< nullopt: until reset
  std::string reason;
  friend bool operator==(const BreakerHold&, const BreakerHold&) = default;
};

/// Everything known about one service. Empty = never started.
struct BreakerRecord {
  std::string service;
  std::string boot_id;                  ///< the boot whose BOOTTIME the stamps use; "" = none yet
  std::vector<BreakerStamp> failures;   ///< oldest first, since the last healthy run or reset, at most kMaxFailuresKept
  std::uint64_t failures_in_a_row = 0;  ///< the same, uncapped: decides the delay
  std::uint64_t lost_in_a_row = 0;      ///< starts that vanished before they were ready (see kForgivenLosses)
  std::uint64_t starts_total = 0;       ///< every exec ever, over all boots and resets
  std::uint64_t failures_total = 0;
  std::optional<BreakerAttempt> open;
  std::optional<BreakerHold> hold;
  std::string last_failure;  ///< what the latest failure looked like, for people
  /// MemAvailable before each start since the last healthy run, reset or boot, oldest first, at most kMaxFailuresKept.
  std::vector<std::uint64_t> memory_before;
  friend bool operator==(const BreakerRecord&, const BreakerRecord&) = default;
};

enum class BreakerAnswer {
  kGo,
  kBackOff,  ///< wait until `until`, without a ticket
  kHeld,     ///< stay up and start nothing until `until`, or for ever when that is nullopt
};

/// May this service start now?
struct BreakerVerdict {
  BreakerAnswer answer = BreakerAnswer::kGo;
  std::optional<core::BootTime> until;
  std::optional<core::BootTime> since;  ///< when the hold began
  std::string reason;                   ///< one clause for the log; "" with kGo
};

/// What an ended start meant.
struct BreakerOutcome {
  bool counted = false;  ///< it was a failure
  BreakerVerdict next;   ///< what the next start will be told, as of now
};

/// Memory that failed starts did not give back.
struct MemoryLoss {
  std::uint64_t per_attempt = 0;  ///< bytes
  std::uint64_t total = 0;        ///< bytes, over `attempts`
  std::size_t attempts = 0;
};

}  // namespace antifreeze::gate
