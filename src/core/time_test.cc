#include "core/time.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace antifreeze::core {
namespace {

using namespace std::chrono_literals;

Nanos duration(std::string_view text) {
  const auto parsed = parse_duration(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : Nanos(-1);
}

TEST(ParseDuration, ReadsEveryUnit) {
  EXPECT_EQ(duration("0"), 0ns);
  EXPECT_EQ(duration("300ms"), 300ms);
  EXPECT_EQ(duration("30s"), 30s);
  EXPECT_EQ(duration("15m"), 15min);
  EXPECT_EQ(duration("2h"), 2h);
  EXPECT_EQ(duration("1d"), 24h);
}

TEST(ParseDuration, ReadsFractions) {
  EXPECT_EQ(duration("1.5s"), 1500ms);
  EXPECT_EQ(duration(".5m"), 30s);
}

TEST(ParseDuration, RefusesWhatCouldBeMeantInTwoWays) {
  for (const auto* text : {"", "5", "-1s", "s", "1 s", "1h30m", "1S", "1M", "1.2.3s", "five", "1e3s"}) {
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed) << "'" << text << "'";
    EXPECT_EQ(parsed.error().code(), ErrorCode::kInvalid);
    EXPECT_NE(parsed.error().message().find("'" + std::string(text) + "'"), std::string::npos)
        << parsed.error().message();
  }
}

TEST(ParseDuration, RefusesWhatDoesNotFit) {
  EXPECT_FALSE(parse_duration("107000d"));
  EXPECT_FALSE(parse_duration("99999999999999999999d"));
  EXPECT_FALSE(parse_duration(std::string(400, '9') + "s"));
}

TEST(ParseDuration, ALongFractionIsStillANumber) {
  const auto parsed = parse_duration("1." + std::string(400, '1') + "s");
  EXPECT_TRUE(!parsed || (*parsed > 1s && *parsed < 2s)) << parsed->count();
}

TEST(FormatDuration, IsShortAndReadsBackAsTheSame) {
  const std::pair<Nanos, std::string_view> kCases[] = {{300ms, "300ms"}, {1500ms, "1.5s"}, {30s, "30s"},
                                                       {15min, "15m"},   {90s, "90s"},     {2h, "2h"},
                                                       {24h, "1d"},      {250us, "250us"}};
  for (const auto& [value, text] : kCases) {
    EXPECT_EQ(format_duration(value), text);
    EXPECT_EQ(duration(text), value);
  }
}

TEST(FormatDuration, RoundsToTwoDecimals) {
  EXPECT_EQ(format_duration(1234567us), "1.23s");
  EXPECT_EQ(format_duration(1996ms), "2s");
  EXPECT_EQ(format_duration(1050ms), "1.05s");
}

TEST(FormatDuration, ShowsZeroAndNegatives) {
  EXPECT_EQ(format_duration(0ns), "0s");
  EXPECT_EQ(format_duration(-1500ms), "-1.5s");
}

TEST(FormatRfc3339, IsUtcWithMilliseconds) {
  EXPECT_EQ(format_rfc3339({0}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_rfc3339({1'772'366'400'123'999'999}), "2026-03-01T12:00:00.123Z");
}

TEST(FormatRfc3339, HoldsBeforeTheEpoch) {
  EXPECT_EQ(format_rfc3339({-1'000'000}), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(format_rfc3339({-1'000'000'000}), "1969-12-31T23:59:59.000Z");
}

template <typename A, typename B>
concept Subtractable = requires(A a, B b) { a - b; };

TEST(Moment, TwoClocksCannotBeSubtracted) {
  EXPECT_TRUE((Subtractable<BootTime, BootTime>));
  EXPECT_FALSE((Subtractable<BootTime, MonoTime>));
  EXPECT_FALSE((Subtractable<WallTime, BootTime>));
}

TEST(Moment, MovesByDurationsAndCompares) {
  const BootTime begun{1'000};
  EXPECT_EQ((begun + 500ns).ns, 1'500);
  EXPECT_EQ((begun - 500ns).ns, 500);
  EXPECT_EQ(begun + 500ns - begun, 500ns);
  EXPECT_LT(begun, begun + 1ns);
}

}  // namespace
}  // namespace antifreeze::core
