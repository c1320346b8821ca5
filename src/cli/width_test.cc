#include "cli/width.h"

#include <gtest/gtest.h>

namespace antifreeze::cli {
namespace {

TEST(Width, WideCharactersTakeTwoColumnsAndMarksNone) {
  EXPECT_EQ(display_width("boot"), 4U);
  EXPECT_EQ(display_width("電源断"), 6U);
  EXPECT_EQ(display_width("GPU がバスから脱落"), 18U);
  EXPECT_EQ(display_width("终止，内存"), 10U);
  EXPECT_EQ(display_width("ﾒﾓﾘ"), 3U) << "half-width kana";
  EXPECT_EQ(display_width("e\xCC\x81"), 1U) << "an accent on its letter";
  EXPECT_EQ(display_width("…·█"), 3U);
}

TEST(Width, BrokenBytesCountAsOneEach) {
  EXPECT_EQ(display_width("a\xff\xfe"), 3U);
  EXPECT_EQ(display_width("\xe9\x9b"), 2U) << "a sequence that was cut";
  EXPECT_EQ(display_width("\xe9\x41"), 2U);
  EXPECT_EQ(display_width("\xf0\x9f\x94\xa5"), 2U);
}

TEST(Width, PaddingAndCuttingCountColumns) {
  EXPECT_EQ(pad("電源", 6), "電源  ");
  EXPECT_EQ(pad("電源断電源", 6), "電源断電源");
  EXPECT_EQ(cut("電源断", 6), "電源断");
  EXPECT_EQ(cut("電源断", 5), "電源~");
  EXPECT_EQ(cut("電源断", 4), "電~") << "no half of a character";
  EXPECT_EQ(cut("abcdef", 4), "abc~");
}

TEST(Wrap, BreaksAtBlanksAndKeepsLongWords) {
  const std::string word(40, 'x');
  EXPECT_EQ(wrap("one two " + word + " three", 32, "  "), "  one two\n  " + word + "\n  three\n");
  EXPECT_EQ(wrap("", 32, "  "), "");
  EXPECT_EQ(wrap("a  b", 32, ""), "a b\n");
}

TEST(Wrap, BreaksBetweenWideCharactersButLeavesNoMarkAlone) {
  // 15 characters fill 30 columns; the full stop may not begin the next line and takes the one before it along.
  EXPECT_EQ(wrap("一二三四五六七八九十一二三四五。次", 30, ""), "一二三四五六七八九十一二三四\n五。次\n");
  EXPECT_EQ(wrap("一二三四五六七八九十一二三四「五」", 30, ""), "一二三四五六七八九十一二三四\n「五」\n");
  EXPECT_EQ(wrap("一二三四五六七八九十一二三四Xid", 30, ""), "一二三四五六七八九十一二三四\nXid\n");
  for (const std::string& broken : {std::string("\xe9\x9b"), std::string(100, '\xff')}) {
    EXPECT_EQ(wrap(broken, 30, ""), broken + "\n");
  }
}

}  // namespace
}  // namespace antifreeze::cli
