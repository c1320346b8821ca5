#include "gate/safe_boot_decide.h"

#include <gtest/gtest.h>

#include <vector>

namespace antifreeze::gate {
namespace {

using namespace std::chrono_literals;
using core::WallTime;

constexpr WallTime kNow{1'772'366'400'000'000'000};

BootEntry boot(core::Nanos ago, bool clean, bool acknowledged = false) {
  return {"id", kNow - ago, clean, acknowledged};
}

TEST(SafeBoot, ThreeUncleanBootsWithinAnHour) {
  // The first one ran for days before it froze: what counts is when it ended, which is when the next one began.
  const std::vector<BootEntry> boots{boot(100h, false), boot(50min, false), boot(20min, false), boot(0s, false)};
  const auto verdict = decide_safe_boot(boots, kNow, {});
  EXPECT_TRUE(verdict.safe_boot);
  EXPECT_EQ(verdict.unclean, 3);
  EXPECT_EQ(verdict.reason, "3 boots ended without a shutdown within 1h");
}

TEST(SafeBoot, TwoAreNotEnough) {
  EXPECT_FALSE(
      decide_safe_boot(std::vector{boot(50min, false), boot(20min, false), boot(0s, false)}, kNow, {}).safe_boot);
}

TEST(SafeBoot, CleanEndsDoNotCount) {
  const std::vector<BootEntry> boots{boot(50min, false), boot(40min, true), boot(30min, false), boot(0s, false)};
  EXPECT_EQ(decide_safe_boot(boots, kNow, {}).unclean, 2);
}

TEST(SafeBoot, EndsMoreThanAnHourAgoDoNotCount) {
  const std::vector<BootEntry> boots{boot(5h, false), boot(61min, false), boot(20min, false), boot(0s, false)};
  EXPECT_EQ(decide_safe_boot(boots, kNow, {}).unclean, 2);
}

TEST(SafeBoot, BootThatRunsNowDoesNotCount) {
  EXPECT_EQ(decide_safe_boot(std::vector{boot(10min, false)}, kNow, {}).unclean, 0);
  EXPECT_EQ(decide_safe_boot({}, kNow, {}).unclean, 0);
}

TEST(SafeBoot, AfterGoOnOnlyWhatComesThenCounts) {
  std::vector<BootEntry> boots{boot(50min, false), boot(40min, false), boot(30min, false), boot(20min, false, true)};
  EXPECT_FALSE(decide_safe_boot(boots, kNow, {}).safe_boot);
  boots.push_back(boot(10min, false));
  EXPECT_EQ(decide_safe_boot(boots, kNow, {}).unclean, 1) << "the boot in which the person said so froze as well";
}

TEST(SafeBoot, ClockThatWasSetBackCounts) {
  std::vector<BootEntry> boots{boot(0s, false), boot(-1h, false), boot(-2h, false), {"id", {}, false, false}};
  EXPECT_TRUE(decide_safe_boot(boots, kNow, {}).safe_boot);
}

TEST(SafeBoot, ZeroTurnsItOff) {
  const std::vector<BootEntry> boots(10, boot(0s, false));
  EXPECT_FALSE(decide_safe_boot(boots, kNow, {.unclean_boots = 0, .within = 1h}).safe_boot);
}

TEST(SafeBootFile, ComesBackAndRefusesOthers) {
  const auto text = encode_safe_boot("3 boots\nended", kNow);
  const auto back = decode_safe_boot(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, "3 boots\nended");
  EXPECT_FALSE(decode_safe_boot(""));
  EXPECT_FALSE(decode_safe_boot(text + "x"));
}

}  // namespace
}  // namespace antifreeze::gate
