// /proc/PID/timens_offsets: how far a time namespace's clocks are from the host's.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace antifreeze::readings {

/// What the namespace adds to each clock, in ns: host time = time seen here - offset. Absent when the file has no such
/// line; a kernel without time namespaces has no file at all, which means no offset.
struct TimeNsOffsets {
  std::optional<std::int64_t> monotonic_ns;
  std::optional<std::int64_t> boottime_ns;
};

/// Reads "monotonic SECONDS NANOSECONDS" and "boottime SECONDS NANOSECONDS". Seconds may be negative, nanoseconds are
/// 0…999,999,999. An offset beyond ±292 years is refused.
TimeNsOffsets parse_timens_offsets(std::string_view text);

}  // namespace antifreeze::readings
