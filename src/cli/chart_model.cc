#include "cli/chart_model.h"

#include <algorithm>
#include <map>

namespace antifreeze::cli {
namespace {

using gate::Phase;

struct Open {
  core::BootTime since;
  Phase phase;
};

bool before_ready(Phase phase) {
  return phase == Phase::kGranted || phase == Phase::kReclaiming || phase == Phase::kStarting ||
         phase == Phase::kSettling;
}

void count_time(ChartRow& row, const ChartSpan& span) {
  const auto length = span.to - span.from;
  if (span.phase == Phase::kQueued) row.waited += length;
  if (span.phase == Phase::kReclaiming) row.reclaimed += length;
  if (span.phase == Phase::kStarting) row.started += length;
  if (span.phase == Phase::kSettling) row.settled += length;
}

class Builder {
 public:
  explicit Builder(core::BootTime from) : from_(from) {}

  void take(const LogEvent& event) {
    const auto at = std::max(event.boottime, from_);
    const auto open = open_.find(event.service);
    const std::optional<Phase> previous = open == open_.end() ? std::nullopt : std::optional(open->second.phase);
    if (event.boottime >= from_) {
      auto& row = row_of(event.service);
      if (open != open_.end()) close(row, open->second, at);
      note(row, event, previous);
    }
    if (event.phase == Phase::kExited) {
      open_.erase(event.service);
    } else {
      open_.insert_or_assign(event.service, Open{event.boottime, event.phase});
    }
    to_ = std::max(to_, at);
  }

  ChartModel finish() {
    for (auto& row : rows_) {
      if (const auto open = open_.find(row.service); open != open_.end()) close(row, open->second, to_);
    }
    return {from_, to_, std::move(rows_)};
  }

 private:
  ChartRow& row_of(const std::string& service) {
    const auto it = std::ranges::find(rows_, service, &ChartRow::service);
    if (it != rows_.end()) return *it;
    rows_.emplace_back().service = service;
    return rows_.back();
  }

  void close(ChartRow& row, const Open& open, core::BootTime at) {
    ChartSpan span{std::max(open.since, from_), at, open.phase};
    count_time(row, span);
    if (!row.spans.empty() && row.spans.back().phase == span.phase && row.spans.back().to == span.from) {
      row.spans.back().to = span.to;
    } else {
      row.spans.push_back(span);
    }
  }

  static void note(ChartRow& row, const LogEvent& event, std::optional<Phase> previous) {
    row.last = event.phase;
    row.last_reason = event.reason;
    if (event.phase == Phase::kStarting && previous != Phase::kStarting) {
      ++row.starts;
      row.started = row.settled = core::Nanos(0);
    }
    if (event.phase == Phase::kExited) {
      row.exits.push_back(event.boottime);
      if (previous && before_ready(*previous) && event.exit_code.value_or(0) != 0) ++row.failures;
    }
    if (event.behind && std::ranges::find(row.behind, *event.behind) == row.behind.end()) {
      row.behind.push_back(*event.behind);
    }
  }

  core::BootTime from_;
  core::BootTime to_{};
  std::vector<ChartRow> rows_;
  std::map<std::string, Open> open_;
};

}  // namespace

ChartModel make_chart_model(std::span<const LogEvent> events, core::BootTime from) {
  Builder builder(from);
  for (const auto& event : events) builder.take(event);
  return builder.finish();
}

}  // namespace antifreeze::cli
