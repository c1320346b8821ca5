#include "core/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace antifreeze::core {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ParseInt, ReadsTheWholeRange) {
  EXPECT_EQ(parse_int("0"), 0);
  EXPECT_EQ(parse_int("-10"), -10);
  EXPECT_EQ(parse_int("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_int("-9223372036854775808"), INT64_MIN);
}

TEST(ParseInt, RefusesWhatIsNotWhollyANumber) {
  for (const auto* text : {"", "-", "+1", " 1", "1 ", "1x", "0x10", "1.0", "9223372036854775808"}) {
    EXPECT_EQ(parse_int(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(ParseUint, ReadsDecimalAndHex) {
  EXPECT_EQ(parse_uint("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_uint("ffffffffffffffff", 16), UINT64_MAX);
  EXPECT_EQ(parse_uint("0A", 16), 10U);
}

TEST(ParseUint, RefusesSignsPrefixesAndOverflow) {
  for (const auto* text : {"", "-1", "-0", "+1", "18446744073709551616", "a"}) {
    EXPECT_EQ(parse_uint(text), std::nullopt) << "'" << text << "'";
  }
  EXPECT_EQ(parse_uint("0x10", 16), std::nullopt);
}

TEST(ParseDecimal, ReadsDigitsWithAtMostOnePoint) {
  EXPECT_DOUBLE_EQ(parse_decimal("12").value(), 12);
  EXPECT_DOUBLE_EQ(parse_decimal("0.35").value(), 0.35);
  EXPECT_DOUBLE_EQ(parse_decimal(".5").value(), 0.5);
  EXPECT_DOUBLE_EQ(parse_decimal("5.").value(), 5);
}

TEST(ParseDecimal, RefusesEverythingElse) {
  for (const auto* text : {"", ".", "1.2.3", "1e3", "-1", "+1", "1,5", "nan", "inf", "0x1"}) {
    EXPECT_EQ(parse_decimal(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(ParseDecimal, NeverGivesWhatIsNotANumber) {
  const auto long_fraction = parse_decimal("1." + std::string(400, '1'));
  EXPECT_TRUE(!long_fraction || *long_fraction < 2) << *long_fraction;
  const auto huge = parse_decimal(std::string(400, '9'));
  EXPECT_TRUE(!huge || *huge > 1e300) << *huge;
}

TEST(Split, KeepsEmptyPieces) {
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split("one", ','), ElementsAre("one"));
}

TEST(SplitWords, SkipsRunsOfBlanks) {
  EXPECT_THAT(split_words("  a\t b  c "), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_words(" \t "), IsEmpty());
  EXPECT_THAT(split_words(""), IsEmpty());
}

TEST(Trim, CutsBlanksAndLineEndsFromBothEnds) {
  EXPECT_EQ(trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

TEST(NextLine, TakesLinesUntilNothingIsLeft) {
  std::string_view text = "one\n\nlast";
  EXPECT_EQ(next_line(text), "one");
  EXPECT_EQ(next_line(text), "");
  EXPECT_EQ(next_line(text), "last");
  EXPECT_EQ(next_line(text), std::nullopt);
}

TEST(NextLine, AFinalLineEndBeginsNoFurtherLine) {
  std::string_view text = "one\n";
  EXPECT_EQ(next_line(text), "one");
  EXPECT_EQ(next_line(text), std::nullopt);
}

TEST(ToHex, IsPaddedAndCutToItsDigits) {
  EXPECT_EQ(to_hex(0xbeef, 8), "0000beef");
  EXPECT_EQ(to_hex(0x12345, 4), "2345");
  EXPECT_EQ(to_hex(UINT64_MAX, 16), "ffffffffffffffff");
}

TEST(Printable, NothingInItCanForgeALogLine) {
  EXPECT_EQ(printable("a\nb\x1b[31m\x7f\t"), "a?b?[31m??");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("schön"), "schön");
}

TEST(Printable, IsCutToItsLimit) { EXPECT_EQ(printable("abcdef", 3), "abc"); }

TEST(EditDistance, CountsSingleBytes) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("status", "status"), 0U);
  EXPECT_EQ(edit_distance("statsu", "status"), 2U) << "two neighbours that changed places are two changes";
  EXPECT_EQ(edit_distance("stauts", "state"), 2U);
}

}  // namespace
}  // namespace antifreeze::core
