#include "gate/keep_boots.h"

#include <gtest/gtest.h>

#include "host/fake/temp_dir.h"

namespace antifreeze::gate {
namespace {

using core::WallTime;

std::vector<BootEntry> some_boots(int count) {
  std::vector<BootEntry> boots;
  for (int i = 0; i < count; ++i) {
    boots.push_back({"boot-" + std::to_string(i), WallTime{i * 1000}, i % 2 == 0, i % 3 == 0});
  }
  return boots;
}

TEST(Boots, ComeBackAsTheyWereWritten) {
  const auto list = decode_boots(encode_boots(some_boots(32)));
  EXPECT_EQ(list.boots, some_boots(32));
  EXPECT_EQ(list.damaged, 0u);
}

TEST(Boots, DamagedLineCostsOneBootOnly) {
  auto text = encode_boots(some_boots(5));
  text[text.find("boot-2")] = 'X';
  const auto list = decode_boots(text + "torn li");
  EXPECT_EQ(list.damaged, 2u);
  ASSERT_EQ(list.boots.size(), 4u);
  EXPECT_EQ(list.boots[2].boot_id, "boot-3");
}

TEST(Boots, EveryCutIsCopedWith) {
  const auto text = encode_boots(some_boots(3));
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto list = decode_boots(text.substr(0, i));
    const auto whole = some_boots(3);
    EXPECT_TRUE(std::equal(list.boots.begin(), list.boots.end(), whole.begin()));
  }
}

TEST(Boots, OnlyTheLast32AreKept) {
  auto boots = some_boots(32);
  note_boot(boots, "new", WallTime{99});
  EXPECT_EQ(boots.size(), kMaxBootsKept);
  EXPECT_EQ(boots.front().boot_id, "boot-1");
  EXPECT_EQ(boots.back().boot_id, "new");
  EXPECT_EQ(decode_boots(encode_boots(some_boots(100))).boots.size(), kMaxBootsKept);
}

TEST(Boots, SameBootIsNotedOnceAndRunsAgain) {
  std::vector<BootEntry> boots{{"a", WallTime{5}, true, true}};
  note_boot(boots, "a", WallTime{6});
  EXPECT_EQ(boots, (std::vector<BootEntry>{{"a", WallTime{5}, false, true}}));
}

TEST(Boots, MissingFileIsAnEmptyList) {
  const host::fake::TempDir dir;
  const auto none = read_boots(dir.fd());
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->boots.empty());
  ASSERT_TRUE(write_boots(dir.fd(), some_boots(2)));
  EXPECT_EQ(read_boots(dir.fd())->boots, some_boots(2));
}

}  // namespace
}  // namespace antifreeze::gate
