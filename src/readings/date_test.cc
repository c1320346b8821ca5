#include "readings/date.h"

#include <gtest/gtest.h>

namespace antifreeze::readings {
namespace {

std::int64_t seconds(std::string_view text) {
  const auto time = parse_iso_time(text);
  return time ? time->ns / 1'000'000'000 : -1;
}

TEST(Date, IsoInItsForms) {
  EXPECT_EQ(seconds("1970-01-02T00:00:00"), 86400);
  EXPECT_EQ(seconds("2026-11-30 20:21:07,123456+01:00"), seconds("2026-11-30T19:21:07Z"));
  EXPECT_EQ(seconds("2026-11-30T20:21:07-0330"), seconds("2026-11-30T23:51:07"));
  EXPECT_EQ(parse_iso_time("2026-11-30T20:21:07.25")->ns % 1'000'000'000, 250'000'000);
}

TEST(Date, WhatIsNoTimeIsNone) {
  for (const char* text : {"", "2026-02-30T00:00:00", "2026-13-01T00:00:00", "2026-11-30T25:00:00",
                           "2026-11-30T20:21:0x", "2026-11-30T20:21:07 x", "9999-01-01T00:00:00"}) {
    EXPECT_FALSE(parse_iso_time(text)) << text;
  }
}

TEST(Date, MonthsInSeveralTongues) {
  EXPECT_EQ(month_number("Nov"), 11);
  EXPECT_EQ(month_number("ago"), 8);
  EXPECT_EQ(month_number("paź"), 10);
  EXPECT_EQ(month_number("Дек"), 12);
  EXPECT_EQ(month_number("мая"), 5);
  EXPECT_EQ(month_number("juil."), 7);
  EXPECT_EQ(month_number("Mär"), 3);
  EXPECT_FALSE(month_number("kernel:"));
  EXPECT_FALSE(month_number("7"));
}

}  // namespace
}  // namespace antifreeze::readings
