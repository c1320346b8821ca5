// The gate's event log: one line of JSON a transition, shared by all wrappers of a machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/fd.h"
#include "core/json_line.h"
#include "core/result.h"
#include "core/time.h"
#include "gate/gate_dir.h"

namespace antifreeze::gate {

inline constexpr std::string_view kEventLogName = "log.jsonl";
inline constexpr std::string_view kOldEventLogName = "log.1.jsonl";
/// The log is rotated once it is longer; with one older generation it stays below 2 MiB of the tmpfs's 4.
inline constexpr std::uint64_t kEventLogBytes = 1024 * 1024;

/// What a start goes through. `held` owns no ticket.
enum class Phase { kQueued, kGranted, kReclaiming, kStarting, kSettling, kReady, kStopping, kHeld, kExited };
std::string_view phase_name(Phase phase);

/// Memory at the moment of an event, as far as the machine says.
struct EventMemory {
  std::optional<std::uint64_t> free_bytes;
  std::optional<std::uint64_t> available_bytes;
};

/// One transition. Everything but the first five may be missing.
struct Event {
  std::string_view boot_id;
  core::BootTime boottime;
  std::string_view service;
  std::string_view domain;
  Phase phase = Phase::kQueued;
  std::string_view reason;
  std::int64_t pid = 0;
  std::optional<std::int64_t> pid_namespace;  ///< inode of the namespace that `pid` belongs to
  EventMemory memory;
  std::optional<std::string> ticket;
  std::optional<std::string> behind;  ///< the service that is waited for
  std::optional<std::int64_t> ahead;  ///< tickets in front
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> took_ns;     ///< how long the phase before this one took
  std::optional<std::int64_t> lost_bytes;  ///< memory that failed attempts did not give back
};

/// The line as it stands in the log, without LF.
std::string event_line(const Event& event);

/// Appends a line with one write(2). Rotates under the registry lock when that is free at this moment. An error means
/// that the line is lost (full or read-only directory); the caller says so once and goes on.
core::Status append_event(const GateDir& dir, const Event& event);

}  // namespace antifreeze::gate
