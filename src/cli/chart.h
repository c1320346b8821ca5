// Who waited for whom: one row a service over a common time axis, as `gate log --chart` prints it. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/log_event.h"

namespace antifreeze::cli {

struct ChartOptions {
  std::size_t columns = 80;  ///< of the whole line; at least 40
  bool ascii = false;        ///< marks that every terminal and mail program shows
  bool colour = false;
  std::optional<core::BootTime> from;  ///< nullopt: the latest burst, see latest_burst
};

/// A pause so long in the log ends one burst of starts and begins another.
inline constexpr core::Nanos kBurstGap = std::chrono::minutes(5);

/// When the latest burst of starts began: the events of one restart belong together, those of last week do not.
/// `events` are of one boot, in time order, and not empty.
core::BootTime latest_burst(std::span<const LogEvent> events);

/// The lines of the chart, without LF: legend, axis, one row a service (in order of arrival), and what each of them
/// waited for. Only the last event's boot is shown. One line that says so when there is nothing to show.
std::vector<std::string> draw_chart(std::vector<LogEvent> events, const ChartOptions& options);

}  // namespace antifreeze::cli
