#include "autopsy/split_tests.h"

#include <algorithm>

#include "autopsy/decide.h"
#include "autopsy/end_marks.h"
#include "autopsy/starting.h"

namespace antifreeze::autopsy {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kNearTimerSeconds = 120;

std::int64_t seconds_before_end(const Boot& boot, const Hit& hit) {
  if (hit.mono && boot.last_mono) return (boot.last_mono->ns - hit.mono->ns) / kNsPerSecond;
  if (hit.wall && boot.last) return (boot.last->ns - hit.wall->ns) / kNsPerSecond;
  return -1;
}

SplitTest near_timer(const Boot& boot, const signs::Catalogue& catalogue) {
  for (const char* id : {"svc.cron", "svc.starting", "spark.dashboard"}) {
    const Tally* tally = find_tally(boot, catalogue, id);
    if (tally == nullptr || tally->last.empty()) continue;
    const std::int64_t seconds = seconds_before_end(boot, tally->last.back());
    if (seconds >= 0 && seconds <= kNearTimerSeconds) {
      return {"near_timer", TestResult::kSupports,
              std::to_string(seconds) + " s before the last line: " + tally->last.back().line};
    }
  }
  return {"near_timer", TestResult::kContradicts, "no job or unit was started in the last two minutes of the log"};
}

SplitTest in_use(const Boot& boot) {
  std::size_t lines = 0;
  for (const TailLine& line : boot.tail) {
    if (line.origin != readings::LogOrigin::kService || !line.wall || !boot.last) continue;
    if (boot.last->ns - line.wall->ns > 120 * kNsPerSecond) continue;
    const bool request =
        line.text.find("POST /") != std::string::npos || line.text.find("GET /v1") != std::string::npos ||
        line.text.find("throughput") != std::string::npos || line.text.find("Running: ") != std::string::npos;
    if (request) ++lines;
  }
  if (lines > 0)
    return {"in_use", TestResult::kSupports,
            std::to_string(lines) + " lines of requests or throughput in the last two minutes"};
  return {"in_use", TestResult::kCannotTell,
          "no line about requests near the end; an engine that logs its requests would tell"};
}

SplitTest after_change(const std::vector<Boot>& boots, std::size_t index, const Surroundings& around) {
  const Boot& boot = boots[index];
  if (!boot.first || around.changes.empty()) {
    return {"after_change", TestResult::kCannotTell, "no package history is there; keep /var/log/dpkg.log"};
  }
  // Bad boots before and after the last change that this boot already had.
  const Change* last = nullptr;
  for (const Change& change : around.changes) {
    if (change.wall.ns <= boot.first->ns && (last == nullptr || change.wall.ns > last->wall.ns)) last = &change;
  }
  if (last == nullptr)
    return {"after_change", TestResult::kContradicts,
            "no driver, kernel, firmware or Docker package was changed before"};
  std::size_t earlier = 0;
  for (std::size_t i = 0; i < index; ++i) {
    if (boots[i].first && boots[i].first->ns < last->wall.ns) ++earlier;
  }
  return {"after_change", earlier > 0 ? TestResult::kSupports : TestResult::kCannotTell,
          "last change before it: " + core::format_rfc3339(last->wall) + " " + last->kind + " " + last->text +
              (earlier > 0 ? "; " + std::to_string(earlier) + " boots before that are on record"
                           : "; no boot before that is on record")};
}

SplitTest several(const Boot& boot, const signs::Catalogue& catalogue) {
  const auto starting = starting_at_end(boot, catalogue);
  if (starting.size() > 1) {
    std::string names = starting[0];
    for (std::size_t i = 1; i < starting.size(); ++i) names += ", " + starting[i];
    return {"several_servers", TestResult::kSupports, "starting when the log stops: " + names};
  }
  return {"several_servers", TestResult::kCannotTell,
          "no starts near the end; with the gate in front of each server its log tells"};
}

}  // namespace

std::vector<SplitTest> split_tests(const std::vector<Boot>& boots, std::size_t index, const signs::Catalogue& catalogue,
                                   const Surroundings& around) {
  const Boot& boot = boots[index];
  std::vector<SplitTest> out;
  out.push_back(near_timer(boot, catalogue));
  out.push_back(in_use(boot));
  out.push_back(after_change(boots, index, around));
  out.push_back(several(boot, catalogue));
  const Tally* throttle = find_tally(boot, catalogue, "th.throttle");
  if (throttle != nullptr && throttle->count_last_10min > 0) {
    out.push_back({"heat", TestResult::kSupports, throttle->last.back().line});
  } else {
    out.push_back({"heat", TestResult::kCannotTell,
                   "no temperature is on record; something that records it up to the end would tell"});
  }
  out.push_back({"power", TestResult::kCannotTell,
                 "no power reading is on record; something that records it up to the end would tell"});
  out.push_back({"swap", TestResult::kCannotTell,
                 "no memory reading is on record; something that records it up to the end would tell"});
  return out;
}

}  // namespace antifreeze::autopsy
