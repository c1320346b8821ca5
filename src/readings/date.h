// Dates as logs write them.
#pragma once

#include <optional>
#include <string_view>

#include "core/time.h"

namespace antifreeze::readings {

/// A moment in UTC; nullopt for a date that does not exist.
std::optional<core::WallTime> make_time(int year, int month, int day, int hour, int minute, int second,
                                        std::int64_t nanoseconds = 0);

/// "2026-11-30T20:21:07", also with a blank for the T, a fraction behind '.' or ',', and "Z", "+01:00" or "+0100". A
/// time without a zone counts as UTC. The whole text must be it.
std::optional<core::WallTime> parse_iso_time(std::string_view text);

/// 1 to 12 for a month's name or its short form in English, German, French, Spanish, Italian, Portuguese, Polish or
/// Russian, whatever its case; nullopt for other words.
std::optional<int> month_number(std::string_view word);

}  // namespace antifreeze::readings
