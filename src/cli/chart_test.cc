#include "cli/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/width.h"

namespace antifreeze::cli {
namespace {

using gate::Phase;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr std::int64_t kSecond = 1'000'000'000;

LogEvent event(double at_s, std::string service, Phase phase, std::optional<std::string> behind = {},
               std::optional<std::int64_t> exit_code = {}) {
  LogEvent out;
  out.boot_id = "b";
  out.boottime = {static_cast<std::int64_t>(at_s * 1000) * (kSecond / 1000) + 1000 * kSecond};
  out.service = std::move(service);
  out.phase = phase;
  out.behind = std::move(behind);
  out.exit_code = exit_code;
  return out;
}

/// Three services restarted at once; the third fails and is held.
std::vector<LogEvent> three_services() {
  return {event(0, "chat", Phase::kQueued),
          event(0.1, "embed", Phase::kQueued),
          event(0.1, "embed", Phase::kQueued, "chat"),
          event(0.2, "rerank", Phase::kQueued, "embed"),
          event(0.5, "chat", Phase::kGranted),
          event(0.5, "chat", Phase::kStarting),
          event(10, "chat", Phase::kSettling),
          event(15, "chat", Phase::kReady),
          event(15, "embed", Phase::kGranted),
          event(15, "embed", Phase::kStarting),
          event(20, "embed", Phase::kSettling),
          event(25, "embed", Phase::kReady),
          event(25, "rerank", Phase::kStarting),
          event(29, "rerank", Phase::kExited, {}, 1),
          event(30, "rerank", Phase::kHeld),
          event(40, "rerank", Phase::kHeld)};
}

TEST(Chart, ShowsWhoWaitedForWhom) {
  ChartOptions options;
  options.columns = 47;  // 40 columns of one second each
  options.ascii = true;
  EXPECT_THAT(
      draw_chart(three_services(), options),
      ElementsAre(". queued  S starting  + settling  # ready", "! held  x exited",
                  "       |0        |10s      |20s      |30s", "chat   .SSSSSSSSS+++++#########################",
                  "embed  ...............SSSSS+++++###############", "rerank .........................SSSSx!!!!!!!!!!",
                  "", "chat   waited 0.5s; started in 9.5s, settled in", "       5.0s; ready",
                  "embed  waited 14.9s for chat; started in 5.0s,", "       settled in 5.0s; ready",
                  "rerank waited 24.8s for embed; started in 4.0s;", "       1 failed; held"));
}

TEST(Chart, FitsItsColumnsAndUsesBlocksUnlessAsciiIsAsked) {
  const auto lines = draw_chart(three_services(), {});
  for (const auto& line : lines) EXPECT_LE(display_width(line), 80U) << line;
  EXPECT_THAT(lines[2], HasSubstr("▒▒▒▒"));
  EXPECT_THAT(lines[2], HasSubstr("▓▓"));
  EXPECT_THAT(lines[2], HasSubstr("██"));
  EXPECT_THAT(lines[3], HasSubstr("····"));
  EXPECT_THAT(lines, Each(Not(HasSubstr("\x1b"))));
}

TEST(Chart, EndsEveryColourOnItsOwnLine) {
  ChartOptions options;
  options.colour = true;
  const auto lines = draw_chart(three_services(), options);
  for (std::size_t i = 2; i < 5; ++i) {
    EXPECT_THAT(lines[i], HasSubstr("\x1b[0;33m")) << lines[i];
    EXPECT_TRUE(lines[i].ends_with("\x1b[0m")) << lines[i];
  }
}

TEST(Chart, StartsThatNeverMetDoNotOverlapInAnyColumn) {
  ChartOptions options;
  options.ascii = true;
  for (std::size_t columns = 40; columns <= 120; columns += 7) {
    options.columns = columns;
    auto lines = draw_chart(three_services(), options);
    while (!lines[2].starts_with("chat ")) lines.erase(lines.begin());  // a narrow one has two lines of legend
    for (std::size_t i = 0; i < lines[2].size(); ++i) {
      int starting = 0;
      for (const std::size_t row : {2, 3, 4}) {
        if (i < lines[row].size() && i > 6 && (lines[row][i] == 'S' || lines[row][i] == '+')) ++starting;
      }
      EXPECT_LE(starting, 1) << "column " << i << " of " << columns;
    }
  }
}

TEST(Chart, ShowsTheLatestBurstUnlessToldFromWhen) {
  auto events = three_services();
  for (auto& later : three_services()) {
    later.boottime = later.boottime + std::chrono::hours(1);
    later.service += "2";
    events.push_back(later);
  }
  EXPECT_THAT(draw_chart(events, {}), Each(Not(HasSubstr("rerank "))));
  ChartOptions all;
  all.from = core::BootTime{0};
  EXPECT_THAT(draw_chart(events, all), testing::Contains(HasSubstr("rerank ")));
}

TEST(Chart, CarriesAnEarlierStateIntoView) {
  const std::vector<LogEvent> events{event(0, "chat", Phase::kReady), event(1000, "chat", Phase::kStopping),
                                     event(1010, "chat", Phase::kExited), event(1020, "embed", Phase::kQueued)};
  ChartOptions options;
  options.ascii = true;
  options.from = core::BootTime{1990 * kSecond};
  EXPECT_THAT(draw_chart(events, options), testing::Contains(testing::StartsWith("chat  ######")));
}

TEST(Chart, ReadsOnlyTheLastBootAndSortsLinesThatCameLate) {
  auto events = three_services();
  events.insert(events.begin(), event(5000, "old", Phase::kReady));
  events.front().boot_id = "another";
  std::swap(events[1], events[2]);
  EXPECT_THAT(draw_chart(events, {}), Each(Not(HasSubstr("old"))));
  EXPECT_THAT(draw_chart(events, {}), SizeIs(testing::Ge(6U)));
}

TEST(Chart, SaysSoWhenThereIsNothingToShow) {
  EXPECT_THAT(draw_chart({}, {}), ElementsAre("no starts to show"));
  ChartOptions later;
  later.from = core::BootTime{INT64_MAX};
  EXPECT_THAT(draw_chart(three_services(), later), ElementsAre("no starts to show"));
}

TEST(Chart, CopesWithASingleMomentAndWithHugeTimes) {
  EXPECT_THAT(draw_chart({event(0, "chat", Phase::kReady)}, {}), SizeIs(5));
  auto far = event(0, "chat", Phase::kReady);
  far.boottime = {kFarthestNs};
  ChartOptions all;
  all.from = core::BootTime{0};
  EXPECT_THAT(draw_chart({event(0, "chat", Phase::kQueued), far}, all), SizeIs(5));
}

}  // namespace
}  // namespace antifreeze::cli
