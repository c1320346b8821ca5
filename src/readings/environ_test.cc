#include "readings/environ.h"

#include <gtest/gtest.h>

namespace antifreeze::readings {
namespace {

using namespace std::string_view_literals;
using Strings = std::vector<std::string_view>;

TEST(SplitNul, KeepsEmptyStringsAndATornTail) {
  EXPECT_EQ(split_nul(""sv), Strings{});
  EXPECT_EQ(split_nul("a\0b\0"sv), (Strings{"a", "b"}));
  EXPECT_EQ(split_nul("a\0\0b"sv), (Strings{"a", "", "b"}));
  EXPECT_EQ(split_nul("\0"sv), (Strings{""}));
}

TEST(FindInEnviron, FindsTheWholeKeyOnly) {
  constexpr auto kEnv = "PATHX=1\0PATH=/bin:/usr/bin\0EMPTY=\0A=b=c\0PATH=second\0TORN=en"sv;
  EXPECT_EQ(find_in_environ(kEnv, "PATH"), "/bin:/usr/bin");
  EXPECT_EQ(find_in_environ(kEnv, "EMPTY"), "");
  EXPECT_EQ(find_in_environ(kEnv, "A"), "b=c");
  EXPECT_EQ(find_in_environ(kEnv, "TORN"), "en");
  EXPECT_FALSE(find_in_environ(kEnv, "PAT").has_value());
  EXPECT_FALSE(find_in_environ(kEnv, "bin").has_value());
  EXPECT_FALSE(find_in_environ(kEnv, "").has_value());
}

TEST(FindInEnviron, CopesWithEntriesThatAreNone) {
  EXPECT_FALSE(find_in_environ(""sv, "A").has_value());
  EXPECT_FALSE(find_in_environ("A\0=\0\0B"sv, "A").has_value());
  EXPECT_EQ(find_in_environ("A\0=\0\0A=1"sv, "A"), "1");
}

TEST(SplitCmdline, DropsTheTailThatATitleLeaves) {
  EXPECT_EQ(split_cmdline("vllm\0serve\0\0m\0"sv), (Strings{"vllm", "serve", "", "m"}));
  EXPECT_EQ(split_cmdline("VLLM::EngineCore\0\0\0\0\0"sv), (Strings{"VLLM::EngineCore"}));
  EXPECT_EQ(split_cmdline("no terminator"sv), (Strings{"no terminator"}));
  EXPECT_EQ(split_cmdline(""sv), Strings{});
}

}  // namespace
}  // namespace antifreeze::readings
