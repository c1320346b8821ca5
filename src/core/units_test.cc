#include "core/units.h"

#include <gtest/gtest.h>

namespace antifreeze::core {
namespace {

std::uint64_t bytes(std::string_view text) {
  const auto parsed = parse_bytes(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : 0;
}

TEST(ParseBytes, ReadsEveryUnitAsBinary) {
  EXPECT_EQ(bytes("0"), 0U);
  EXPECT_EQ(bytes("100B"), 100U);
  EXPECT_EQ(bytes("4KiB"), 4 * kKiB);
  EXPECT_EQ(bytes("4K"), 4 * kKiB);
  EXPECT_EQ(bytes("512MiB"), 512 * kMiB);
  EXPECT_EQ(bytes("512M"), 512 * kMiB);
  EXPECT_EQ(bytes("512m"), 512 * kMiB);
  EXPECT_EQ(bytes("8GiB"), 8 * kGiB);
  EXPECT_EQ(bytes("8g"), 8 * kGiB);
  EXPECT_EQ(bytes("2TiB"), 2048 * kGiB);
}

TEST(ParseBytes, ReadsFractionsAndABlankBeforeTheUnit) {
  EXPECT_EQ(bytes("1.5GiB"), 3 * kGiB / 2);
  EXPECT_EQ(bytes("8 GiB"), 8 * kGiB);
}

TEST(ParseBytes, RefusesWhatHasNoUnitOrNoNumber) {
  for (const auto* text : {"", "8", "GiB", "-8GiB", "8GB", "8 gib", "eight GiB", "1.2.3G", "99999999999TiB"}) {
    const auto parsed = parse_bytes(text);
    ASSERT_FALSE(parsed) << "'" << text << "'";
    EXPECT_EQ(parsed.error().code(), ErrorCode::kInvalid);
    EXPECT_NE(parsed.error().message().find("'" + std::string(text) + "'"), std::string::npos)
        << parsed.error().message();
  }
}

TEST(ParseBytes, ALongFractionIsStillANumber) {
  const auto parsed = parse_bytes("1." + std::string(400, '1') + "GiB");
  EXPECT_TRUE(!parsed || (*parsed > kGiB && *parsed < 2 * kGiB)) << *parsed;
}

TEST(FormatBytes, HasOneDecimalOnlyWhenItSaysSomething) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(17), "17 B");
  EXPECT_EQ(format_bytes(4 * kKiB), "4 KiB");
  EXPECT_EQ(format_bytes(512 * kMiB), "512 MiB");
  EXPECT_EQ(format_bytes(12 * kGiB + 307 * kMiB), "12.3 GiB");
  EXPECT_EQ(format_bytes(8 * kGiB), "8 GiB");
}

TEST(FormatBytes, CoversTheWholeRange) { EXPECT_EQ(format_bytes(UINT64_MAX), "17179869184 GiB"); }

TEST(FormatBytesDelta, AlwaysHasASign) {
  EXPECT_EQ(format_bytes_delta(-1536 * static_cast<std::int64_t>(kMiB)), "-1.5 GiB");
  EXPECT_EQ(format_bytes_delta(17), "+17 B");
  EXPECT_EQ(format_bytes_delta(INT64_MIN), "-8589934592 GiB");
}

TEST(FormatBytes, WhatItPrintsOfWholeUnitsReadsBackAsTheSame) {
  for (const std::uint64_t value : {std::uint64_t{1}, kKiB, 3 * kMiB, 121 * kGiB, 7 * kGiB / 2}) {
    EXPECT_EQ(bytes(format_bytes(value)), value) << format_bytes(value);
  }
}

}  // namespace
}  // namespace antifreeze::core
