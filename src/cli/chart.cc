#include "cli/chart.h"

#include <algorithm>
#include <array>

#include "cli/chart_model.h"
#include "cli/duration_text.h"
#include "cli/help.h"
#include "cli/width.h"
#include "core/text.h"

namespace antifreeze::cli {
namespace {

using gate::Phase;

/// How a state is drawn. SGR colours of the basic eight, which every palette has.
struct Mark {
  Phase phase;
  std::string_view unicode;
  char ascii;
  std::string_view colour;
};
constexpr std::array<Mark, 8> kMarks{{
    {Phase::kQueued, "·", '.', "2"},
    {Phase::kReclaiming, "░", '~', "35"},
    {Phase::kStarting, "▒", 'S', "33"},
    {Phase::kSettling, "▓", '+', "36"},
    {Phase::kReady, "█", '#', "32"},
    {Phase::kStopping, "▁", '_', "2"},
    {Phase::kHeld, "!", '!', "31"},
    {Phase::kExited, "x", 'x', "31;1"},
}};

/// Granted lasts milliseconds, between the queue and exec: part of the start.
Phase shown(Phase phase) { return phase == Phase::kGranted ? Phase::kStarting : phase; }

const Mark& mark_of(Phase phase) { return *std::ranges::find(kMarks, shown(phase), &Mark::phase); }

constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kLongestName = 16;
/// Wider adds nothing that an eye can follow from one end to the other.
constexpr std::size_t kWidest = 160;

class Painter {
 public:
  explicit Painter(const ChartOptions& options) : options_(options) {}

  void put(std::string& line, Phase phase) {
    const auto& mark = mark_of(phase);
    if (options_.colour && mark.colour != colour_) {
      line += "\x1b[0;" + std::string(mark.colour) + "m";
      colour_ = mark.colour;
    }
    if (options_.ascii) {
      line += mark.ascii;
    } else {
      line += mark.unicode;
    }
  }
  void plain(std::string& line, std::string_view text) {
    if (!colour_.empty()) line += "\x1b[0m";
    colour_ = {};
    line += text;
  }

 private:
  const ChartOptions& options_;
  std::string_view colour_;
};

/// Time to columns. Every column stands for the same time.
struct Scale {
  core::BootTime from;
  std::int64_t ns_per_column = 1;
  std::size_t columns = 1;

  [[nodiscard]] std::size_t column_of(core::BootTime time) const {
    const auto at = std::max<std::int64_t>((time - from).count(), 0) / ns_per_column;
    return std::min(static_cast<std::size_t>(at), columns - 1);
  }
  [[nodiscard]] core::BootTime start_of(std::size_t column) const {
    return from + core::Nanos(static_cast<std::int64_t>(column) * ns_per_column);
  }
};

/// The state that filled most of each column, nullopt for none; so starts that never met do not seem to overlap where
/// one hands over to the next. An exit is always shown.
std::vector<std::optional<Phase>> cells_of(const ChartRow& row, const Scale& scale) {
  std::vector<std::optional<Phase>> cells(scale.columns);
  std::vector<core::Nanos> filled(scale.columns, core::Nanos(0));
  for (const auto& span : row.spans) {
    for (std::size_t i = scale.column_of(span.from); i <= scale.column_of(span.to); ++i) {
      const auto begin = std::max(span.from, scale.start_of(i));
      const auto end = std::min(span.to, scale.start_of(i + 1));
      const auto length = end - begin;
      if (length > filled[i]) {
        cells[i] = span.phase;
        filled[i] = length;
      }
    }
  }
  for (const auto exit : row.exits) cells[scale.column_of(exit)] = Phase::kExited;
  return cells;
}

/// 1, 2 or 5 times a power of ten, or a round number of minutes or hours: at most one label every ten columns.
core::Nanos tick_step(const Scale& scale) {
  constexpr std::array<std::int64_t, 28> kSteps{
      1'000'000,          2'000'000,           5'000'000,          10'000'000,         20'000'000,
      50'000'000,         100'000'000,         200'000'000,        500'000'000,        1'000'000'000,
      2'000'000'000,      5'000'000'000,       10'000'000'000,     20'000'000'000,     30'000'000'000,
      60'000'000'000,     120'000'000'000,     300'000'000'000,    600'000'000'000,    1'200'000'000'000,
      1'800'000'000'000,  3'600'000'000'000,   7'200'000'000'000,  21'600'000'000'000, 43'200'000'000'000,
      86'400'000'000'000, 172'800'000'000'000, 864'000'000'000'000};
  for (const auto step : kSteps) {
    if (step >= 10 * scale.ns_per_column) return core::Nanos(step);
  }
  return core::Nanos(kSteps.back());
}

std::string tick_text(core::Nanos at) { return at == core::Nanos(0) ? "0" : core::format_duration(at); }

std::string axis(const Scale& scale, std::size_t margin) {
  std::string line(margin, ' ');
  const auto step = tick_step(scale);
  for (core::Nanos at{0};; at += step) {
    const auto column = static_cast<std::size_t>(at.count() / scale.ns_per_column);
    const auto text = "|" + tick_text(at);
    if (column + text.size() > scale.columns) break;
    if (line.size() < margin + column) line.resize(margin + column, ' ');
    line += text;
  }
  return line;
}

bool occurs(const ChartModel& model, Phase phase) {
  return std::ranges::any_of(model.rows, [&](const ChartRow& row) {
    if (phase == Phase::kExited) return !row.exits.empty();
    return std::ranges::any_of(row.spans, [&](const ChartSpan& span) { return shown(span.phase) == phase; });
  });
}

/// The marks that the chart uses, on as many lines as they need.
std::vector<std::string> legend(const ChartModel& model, const ChartOptions& options, std::size_t columns) {
  std::vector<std::string> lines;
  std::size_t width = columns;  // full: the first mark begins a line
  Painter painter(options);
  for (const auto& mark : kMarks) {
    if (!occurs(model, mark.phase)) continue;
    const auto text = " " + std::string(gate::phase_name(mark.phase));
    if (width + 3 + text.size() > columns) {
      lines.emplace_back();
      width = 0;
    } else {
      painter.plain(lines.back(), "  ");
      width += 2;
    }
    painter.put(lines.back(), mark.phase);
    painter.plain(lines.back(), text);
    width += 1 + text.size();
  }
  return lines;
}

std::string summary(const ChartRow& row) {
  std::string text = row.waited > core::Nanos(0) ? "waited " + short_duration(row.waited) : "did not wait";
  std::string behind;
  for (const auto& other : row.behind) behind += (behind.empty() ? " for " : ", ") + other;
  text += behind;
  if (row.reclaimed > core::Nanos(0)) text += "; reclaimed " + short_duration(row.reclaimed);
  if (row.starts > 0) text += "; started in " + short_duration(row.started);
  if (row.settled > core::Nanos(0)) text += ", settled in " + short_duration(row.settled);
  if (row.starts > 1) text += "; " + std::to_string(row.starts) + " starts";
  if (row.failures > 0) text += "; " + std::to_string(row.failures) + " failed";
  text += "; " + std::string(gate::phase_name(row.last));
  const bool needs_reason = row.last == Phase::kHeld || row.last == Phase::kExited;
  if (needs_reason && !row.last_reason.empty()) text += ": " + row.last_reason;
  return text;
}

Scale make_scale(const ChartModel& model, std::size_t columns) {
  Scale scale{model.from, 1, columns};
  const auto length = std::max<std::int64_t>((model.to - model.from).count(), 1);
  const auto count = static_cast<std::int64_t>(columns);
  scale.ns_per_column = length / count + (length % count != 0 ? 1 : 0);
  return scale;
}

}  // namespace

core::BootTime latest_burst(std::span<const LogEvent> events) {
  auto from = events.back().boottime;
  for (std::size_t i = events.size() - 1; i-- > 0 && from - events[i].boottime <= kBurstGap;) from = events[i].boottime;
  return from;
}

std::vector<std::string> draw_chart(std::vector<LogEvent> events, const ChartOptions& options) {
  if (!events.empty()) {
    const auto boot = events.back().boot_id;
    std::erase_if(events, [&](const LogEvent& event) { return event.boot_id != boot; });
    // Several wrappers append; a line may be a little older than the one before it.
    std::ranges::stable_sort(events, {}, &LogEvent::boottime);
  }
  if (events.empty() || (options.from && events.back().boottime < *options.from)) return {"no starts to show"};
  const auto first = std::max(options.from.value_or(latest_burst(events)), events.front().boottime);
  const auto model = make_chart_model(events, first);

  const std::size_t columns = std::clamp(options.columns, kNarrowest, kWidest);
  std::size_t name_width = 0;
  for (const auto& row : model.rows) name_width = std::max(name_width, display_width(row.service));
  name_width = std::min(name_width, kLongestName);
  const auto scale = make_scale(model, columns - name_width - 1);

  auto lines = legend(model, options, columns);
  lines.push_back(axis(scale, name_width + 1));
  for (const auto& row : model.rows) {
    std::string line = pad(cut(row.service, name_width), name_width) + " ";
    Painter painter(options);
    for (const auto& cell : cells_of(row, scale)) {
      if (cell)
        painter.put(line, *cell);
      else
        painter.plain(line, " ");
    }
    painter.plain(line, "");
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  lines.emplace_back();
  for (const auto& row : model.rows) {
    std::string label = cut(row.service, name_width);
    const auto wrapped = wrap(summary(row), columns - name_width - 1);
    std::string_view rest = wrapped;
    while (const auto part = core::next_line(rest)) {
      lines.push_back(pad(label, name_width) + " " + std::string(*part));
      label.clear();
    }
  }
  return lines;
}

}  // namespace antifreeze::cli
