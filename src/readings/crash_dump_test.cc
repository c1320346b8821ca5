#include "readings/crash_dump.h"

#include <gtest/gtest.h>

#include <string>

namespace antifreeze::readings {
namespace {

TEST(CrashDump, HeaderAndMessages) {
  const CrashDump dump = parse_crash_dump(
      "Oops#1 Part1\n<1>[   12.5] BUG: kernel NULL pointer dereference, address: 0\n[   12.6][  T77] RIP: x\n");
  EXPECT_EQ(dump.why, CrashDump::Why::kOops);
  EXPECT_EQ(dump.part, 1);
  ASSERT_EQ(dump.lines.size(), 2U);
  EXPECT_EQ(dump.lines[0], "BUG: kernel NULL pointer dereference, address: 0");
  EXPECT_EQ(dump.lines[1], "RIP: x");
}

TEST(CrashDump, APanicAmongTheLinesDecides) {
  EXPECT_EQ(parse_crash_dump("[1.0] Kernel panic - not syncing: x\n").why, CrashDump::Why::kPanic);
  EXPECT_EQ(parse_crash_dump("[1.0] he said Kernel panic - not syncing: x\n").why, CrashDump::Why::kUnknown);
}

TEST(CrashDump, BoundedWhateverItHolds) {
  std::string content;
  for (int i = 0; i < 5000; ++i) content += "[ 1.0] line " + std::to_string(i) + "\n";
  content += std::string(1 << 20, 'x');
  const CrashDump dump = parse_crash_dump(content);
  ASSERT_EQ(dump.lines.size(), 600U);
  EXPECT_LE(dump.lines.back().size(), 403U);
  EXPECT_TRUE(parse_crash_dump(std::string(100, '\0')).why == CrashDump::Why::kUnknown);
}

TEST(CrashDump, OnlyStampsAreCutOff) {
  EXPECT_EQ(without_stamp("[drm] ring gfx timeout"), "[drm] ring gfx timeout");
  EXPECT_EQ(without_stamp("<6>[    0.000000] Linux version"), "Linux version");
  EXPECT_EQ(without_stamp("[  120.1][    C2] x"), "x");
}

}  // namespace
}  // namespace antifreeze::readings
