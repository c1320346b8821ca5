// The event log as spans of time, one row a service: what the chart draws and what its summary says. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/log_event.h"

namespace antifreeze::cli {

/// From one event of a service to its next.
struct ChartSpan {
  core::BootTime from;
  core::BootTime to;
  gate::Phase phase = gate::Phase::kQueued;
};

struct ChartRow {
  std::string service;
  std::vector<ChartSpan> spans;       ///< in time order, without holes; ends at kExited
  std::vector<core::BootTime> exits;  ///< an exit is a moment, not a span
  core::Nanos waited{0};              ///< queued, over all starts in view
  core::Nanos reclaimed{0};           ///< waiting for a dead holder's memory
  core::Nanos started{0};             ///< from exec to ready (the last start)
  core::Nanos settled{0};
  std::vector<std::string> behind;  ///< who was waited for, in order, each once
  std::size_t starts = 0;
  std::size_t failures = 0;  ///< exits before it was ready, with a code other than 0
  gate::Phase last = gate::Phase::kQueued;
  std::string last_reason;
};

struct ChartModel {
  core::BootTime from;
  core::BootTime to;
  std::vector<ChartRow> rows;  ///< in order of arrival
};

/// `events` are of one boot, in time order. What a service was doing before `from` is carried into view, but services
/// without an event since then have no row.
ChartModel make_chart_model(std::span<const LogEvent> events, core::BootTime from);

}  // namespace antifreeze::cli
