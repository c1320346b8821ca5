// The lines of the gate's event log, read back. Any container can write there, so a reader copes with anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "gate/event_log.h"

namespace antifreeze::cli {

/// One transition as it was logged. Texts are made printable.
struct LogEvent {
  std::string boot_id;
  core::BootTime boottime;
  std::string service;
  std::string domain;
  gate::Phase phase = gate::Phase::kQueued;
  std::string reason;
  std::optional<std::int64_t> pid;
  std::optional<std::int64_t> pid_namespace;
  std::optional<std::uint64_t> mem_available;
  std::optional<std::string> ticket;
  std::optional<std::string> behind;
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> lost_bytes;
  std::string line;  ///< as it stands in the log, without LF
};

struct EventList {
  std::vector<LogEvent> events;  ///< in the order of the file
  std::size_t garbage = 0;       ///< lines that are no events
};

/// Longer lines are garbage: an honest one has a few hundred bytes.
inline constexpr std::size_t kMaxLogLine = 16 * 1024;

/// 73 years: sums and differences of two times, also with the wall clock, cannot overflow. No boot lasts as long.
inline constexpr std::int64_t kFarthestNs = std::int64_t{1} << 61;

/// nullopt: no event.
std::optional<LogEvent> parse_event(std::string_view line);

/// Every line of `text`. A last line without LF is left out and does not count as garbage: somebody is writing it.
EventList parse_events(std::string_view text);

/// When an event was, as far as it can be told: wall time for this boot's, the boot and the time since its start for
/// those of earlier boots.
struct TimeBase {
  std::string boot_id;
  core::BootTime boottime;
  core::WallTime wall;
  [[nodiscard]] core::WallTime wall_at(core::BootTime time) const { return wall - (boottime - time); }
};

/// "2026-03-01 12:00:00.123 chat       ready      settled: stable for 3s". One line without LF.
std::string event_text(const LogEvent& event, const TimeBase& base);

}  // namespace antifreeze::cli
