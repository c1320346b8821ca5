#include "core/json_line.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace antifreeze::core {
namespace {

std::string json_of(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonLine, WritesFieldsInTheirOrder) {
  EXPECT_EQ(JsonLine().add("a", "x").add("b", 1).add("c", true).add("d", false).str(),
            R"({"a":"x","b":1,"c":true,"d":false})");
  EXPECT_EQ(JsonLine().str(), "{}");
}

TEST(JsonLine, WritesTheWholeRangeOfIntegers) {
  EXPECT_EQ(JsonLine().add("low", INT64_MIN).add("high", UINT64_MAX).str(),
            R"({"low":-9223372036854775808,"high":18446744073709551615})");
}

TEST(JsonLine, LeavesOutWhatIsAbsent) {
  EXPECT_EQ(JsonLine()
                .add("a", std::optional<std::int64_t>())
                .add("b", std::optional<std::int64_t>(0))
                .add("c", std::optional<std::string_view>())
                .str(),
            R"({"b":0})");
}

TEST(JsonLine, EscapesKeysToo) { EXPECT_EQ(JsonLine().add("a\"b", 1).str(), R"({"a\"b":1})"); }

TEST(AppendJsonString, EscapesWhatWouldEndTheStringOrTheLine) {
  EXPECT_EQ(json_of("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json_of("a\nb\tc\rd"), R"("a\nb\tc\u000dd")");
  EXPECT_EQ(json_of(std::string_view("\0\x1f\x7f", 3)), R"("\u0000\u001f\u007f")");
}

TEST(AppendJsonString, KeepsValidUtf8) { EXPECT_EQ(json_of("é 雪 😀"), "\"é 雪 😀\""); }

TEST(AppendJsonString, ReplacesEachInvalidByte) {
  EXPECT_EQ(json_of("a\xff"
                    "b"),
            "\"a\xef\xbf\xbd"
            "b\"");
  EXPECT_EQ(json_of("\xc0\xaf"), "\"\xef\xbf\xbd\xef\xbf\xbd\"") << "an overlong slash";
  EXPECT_EQ(json_of("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"") << "a surrogate";
  EXPECT_EQ(json_of("\xe9\x9b"), "\"\xef\xbf\xbd\xef\xbf\xbd\"") << "cut off in the middle";
  EXPECT_EQ(json_of("\xf4\x90\x80\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"") << "above U+10FFFF";
}

TEST(AppendJsonString, AnotherReaderReadsBackEveryByte) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 3; second < 256; second += 11) {
      const std::string text{static_cast<char>(first), static_cast<char>(second)};
      const auto parsed = nlohmann::json::parse(json_of(text), nullptr, false);
      ASSERT_TRUE(parsed.is_string()) << first << " " << second;
      if (first < 128 && second < 128) {
        ASSERT_EQ(parsed.get<std::string>(), text);
      }
    }
  }
}

}  // namespace
}  // namespace antifreeze::core
