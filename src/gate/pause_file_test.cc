#include "gate/pause_file.h"

#include <gtest/gtest.h>

#include "gate/record_text.h"

namespace antifreeze::gate {
namespace {

using namespace std::chrono_literals;
using core::BootTime;

constexpr BootTime kNow{5'000'000'000'000};

Pause lease() { return {"boot-1", kNow, kNow + 10min, "memory runs out\n", "guard"}; }

std::optional<BootTime> in_force(const Pause& pause, BootTime now = kNow + 1min) {
  return paused_until(pause, now, "boot-1", 0, 0);
}

TEST(PauseFile, ComesBackAsItWasWritten) {
  const auto back = decode_pause(encode_pause(lease()));
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(*back, lease());
}

TEST(PauseFile, NeverOutgrowsItsSize) {
  auto pause = lease();
  pause.reason = std::string(10'000, '\n');
  pause.by = std::string(10'000, 'x');
  pause.boot_id = std::string(10'000, 'x');
  const auto text = encode_pause(pause);
  EXPECT_LE(text.size(), kPauseFileBytes);
  EXPECT_TRUE(decode_pause(text));
}

TEST(PauseFile, DamageIsNoticed) {
  const auto text = encode_pause(lease());
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 0x20);
    EXPECT_FALSE(decode_pause(changed)) << i;
    EXPECT_FALSE(decode_pause(text.substr(0, i))) << i;
  }
}

TEST(PauseFile, LeaseWithoutBeginningOrEndIsNone) {
  RecordWriter no_end("antifreeze-pause 1");
  no_end.add("from", std::int64_t{5});
  EXPECT_FALSE(decode_pause(no_end.finish()));
  RecordWriter bad_end("antifreeze-pause 1");
  bad_end.add("from", std::int64_t{5});
  bad_end.add("until", "9223372036854775807");
  EXPECT_FALSE(decode_pause(bad_end.finish()));
}

TEST(Pause, HoldsUntilItsEnd) {
  EXPECT_EQ(in_force(lease()), kNow + 10min);
  EXPECT_EQ(in_force(lease(), kNow + 10min - 1ns), kNow + 10min);
  EXPECT_FALSE(in_force(lease(), kNow + 10min));
}

TEST(Pause, IsCutToAnHour) {
  auto pause = lease();
  pause.until = kNow + 100h;
  EXPECT_EQ(in_force(pause), kNow + 1h);
  EXPECT_FALSE(in_force(pause, kNow + 1h));
}

TEST(Pause, OfAnotherBootOrFromTheFutureIsVoid) {
  EXPECT_FALSE(paused_until(lease(), kNow, "boot-2", 0, 0));
  EXPECT_FALSE(in_force(lease(), kNow - 1ns)) << "moving the beginning ahead must not lengthen it";
}

TEST(Pause, OnlyTheOwnerOfTheDirectoryMayPause) {
  EXPECT_FALSE(paused_until(lease(), kNow, "boot-1", 1000, 0));
  EXPECT_TRUE(paused_until(lease(), kNow, "boot-1", 1000, 1000));
}

}  // namespace
}  // namespace antifreeze::gate
