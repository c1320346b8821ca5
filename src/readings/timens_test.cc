#include "readings/timens.h"

#include <gtest/gtest.h>

#include <string>

namespace antifreeze::readings {
namespace {

TEST(TimeNs, ReadsTheInitialNamespace) {
  const auto offsets = parse_timens_offsets("monotonic           0         0\nboottime            0         0\n");
  EXPECT_EQ(offsets.monotonic_ns, 0);
  EXPECT_EQ(offsets.boottime_ns, 0);
}

TEST(TimeNs, ReadsShiftsBothWays) {
  const auto offsets = parse_timens_offsets("monotonic      172800 500000000\nboottime          -10 250000000\n");
  EXPECT_EQ(offsets.monotonic_ns, 172'800'500'000'000);
  EXPECT_EQ(offsets.boottime_ns, -9'750'000'000);
}

TEST(TimeNs, WhatIsMissingOrImpossibleIsAbsent) {
  EXPECT_FALSE(parse_timens_offsets("").monotonic_ns.has_value());
  EXPECT_FALSE(parse_timens_offsets("monotonic 1\n").monotonic_ns.has_value());
  for (const std::string rest : {"x 0", "0 x", "0 -1", "0 1000000000", "9223372036 0", "-9223372036854775808 0",
                                 "9223372036854775807 999999999", "99999999999999999999 0"}) {
    EXPECT_FALSE(parse_timens_offsets("monotonic " + rest + "\n").monotonic_ns.has_value()) << rest;
  }
  EXPECT_TRUE(parse_timens_offsets("monotonic 9223372035 999999999\n").monotonic_ns.has_value());
}

}  // namespace
}  // namespace antifreeze::readings
