#include "readings/meminfo.h"

#include <gtest/gtest.h>

#include <string>

namespace antifreeze::readings {
namespace {

constexpr std::string_view kReal =
    "MemTotal:       127535532 kB\n"
    "MemFree:        24447996 kB\n"
    "MemAvailable:   24393160 kB\n"
    "Buffers:            4488 kB\n"
    "Cached:            87408 kB\n"
    "SwapCached:            0 kB\n"
    "Active:            22824 kB\n"
    "Active(file):      21280 kB\n"
    "Inactive(file):    61656 kB\n"
    "Unevictable:       12620 kB\n"
    "SwapTotal:             0 kB\n"
    "SwapFree:              0 kB\n"
    "Shmem:              8952 kB\n"
    "SReclaimable:      60784 kB\n"
    "HugePages_Total:      16\n"
    "HugePages_Free:        4\n"
    "HugePages_Rsvd:        0\n"
    "Hugepagesize:       2048 kB\n"
    "GPUReclaim:     99999999999 kB\n";

TEST(MemInfo, ReadsEveryFieldInBytes) {
  const MemInfo info = parse_meminfo(kReal);
  EXPECT_EQ(info.total, 127535532ULL * 1024);
  EXPECT_EQ(info.free, 24447996ULL * 1024);
  EXPECT_EQ(info.available, 24393160ULL * 1024);
  EXPECT_EQ(info.buffers, 4488ULL * 1024);
  EXPECT_EQ(info.cached, 87408ULL * 1024);
  EXPECT_EQ(info.active_file, 21280ULL * 1024);
  EXPECT_EQ(info.inactive_file, 61656ULL * 1024);
  EXPECT_EQ(info.unevictable, 12620ULL * 1024);
  EXPECT_EQ(info.shmem, 8952ULL * 1024);
  EXPECT_EQ(info.slab_reclaimable, 60784ULL * 1024);
  EXPECT_EQ(info.swap_total, 0U);
  EXPECT_EQ(info.swap_free, 0U);
  EXPECT_EQ(info.hugepages_total, 16U);
  EXPECT_EQ(info.hugepages_free, 4U);
  EXPECT_EQ(info.hugepage_size, 2048ULL * 1024);
}

TEST(MemInfo, WhatIsNotPrintedIsAbsentAndNotZero) {
  const MemInfo info = parse_meminfo("MemTotal: 10 kB\n");
  EXPECT_EQ(info.total, 10240U);
  EXPECT_FALSE(info.free.has_value());
  EXPECT_FALSE(info.hugepages_total.has_value());
  EXPECT_FALSE(parse_meminfo("").total.has_value());
}

TEST(MemInfo, ATornLastLineGivesNoWrongNumber) {
  EXPECT_FALSE(parse_meminfo("MemTotal: 12345678 kB\nMemFree:    244").free.has_value());
  EXPECT_FALSE(parse_meminfo("MemFree:    24447996 k").free.has_value());
  EXPECT_FALSE(parse_meminfo("MemFree").free.has_value());
}

TEST(MemInfo, AcceptsAWritersOwnSpacing) {
  EXPECT_EQ(parse_meminfo("MemFree: 1 kB").free, 1024U);
  EXPECT_EQ(parse_meminfo("MemFree:1 kB\r\n").free, 1024U);
  EXPECT_EQ(parse_meminfo("MemFree:\t7   kB\n").free, 7168U);
}

TEST(MemInfo, RefusesNonsenseValues) {
  for (const std::string value : {"-5 kB", "x kB", "1.5 kB", "5 MB", "5", "", " kB", "0x10 kB", "1 2 kB",
                                  "18014398509481984 kB", "99999999999999999999999 kB"}) {
    EXPECT_FALSE(parse_meminfo("MemFree: " + value + "\n").free.has_value()) << value;
  }
  EXPECT_TRUE(parse_meminfo("MemFree: 18014398509481983 kB\n").free.has_value());
}

TEST(MemInfo, TheFirstOfTwoEqualNamesCounts) { EXPECT_EQ(parse_meminfo("MemFree: 1 kB\nMemFree: 2 kB\n").free, 1024U); }

TEST(MemInfo, NamesMatchWhole) {
  const MemInfo info = parse_meminfo("SwapCached: 5 kB\nNode 0 MemFree: 6 kB\nMemFreeX: 7 kB\n");
  EXPECT_FALSE(info.cached.has_value());
  EXPECT_FALSE(info.free.has_value());
}

}  // namespace
}  // namespace antifreeze::readings
