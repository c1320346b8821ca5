#include "cli/dispatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "cli/exit_codes.h"
#include "cli/fake/captured.h"
#include "host/fake/manual_clock.h"

namespace antifreeze::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class Dispatch : public testing::Test {
 protected:
  host::fake::ManualClock clock_;
  fake::Captured program_{clock_};
};

TEST_F(Dispatch, WithoutAVerbSaysHowItIsUsedAndFails) {
  EXPECT_EQ(program_.run({}), kExitUsage);
  EXPECT_THAT(program_.err, StartsWith("usage: antifreeze VERB"));
  EXPECT_THAT(program_.out, IsEmpty());
}

TEST_F(Dispatch, HelpIsAskedForInThreeWays) {
  EXPECT_EQ(program_.run({"help", "gate", "pause"}), kExitFine);
  const auto text = program_.out;
  EXPECT_THAT(text, StartsWith("usage: antifreeze gate pause"));
  EXPECT_EQ(program_.run({"gate", "pause", "--help"}), kExitFine);
  EXPECT_EQ(program_.out, text);
  EXPECT_EQ(program_.run({"--help", "gate", "pause"}), kExitFine);
  EXPECT_EQ(program_.out, text);
}

TEST_F(Dispatch, AGroupAloneListsItsVerbs) {
  EXPECT_EQ(program_.run({"gate"}), kExitUsage);
  EXPECT_THAT(program_.err, HasSubstr("  gate status"));
  EXPECT_EQ(program_.run({"gate", "--help"}), kExitFine);
  EXPECT_THAT(program_.out, HasSubstr("  gate status"));
}

TEST_F(Dispatch, AnUnknownVerbIsAUsageErrorWithTheNearestOne) {
  EXPECT_EQ(program_.run({"gate", "statsu"}), kExitUsage);
  EXPECT_EQ(program_.err, "antifreeze: unknown verb 'gate statsu'; did you mean 'antifreeze gate status'?\n");
  EXPECT_EQ(program_.run({"verson"}), kExitUsage);
  EXPECT_EQ(program_.err, "antifreeze: unknown verb 'verson'; did you mean 'antifreeze version'?\n");
  EXPECT_EQ(program_.run({"qqqqqqqq"}), kExitUsage);
  EXPECT_EQ(program_.err, "antifreeze: unknown verb 'qqqqqqqq'; 'antifreeze help' lists them\n");
}

TEST_F(Dispatch, AnUnknownOptionNamesTheNearestOne) {
  EXPECT_EQ(program_.run({"gate", "status", "--gate-dri", "/x"}), kExitUsage);
  EXPECT_THAT(program_.err, HasSubstr("did you mean --gate-dir?"));
}

TEST_F(Dispatch, GlobalOptionsMayStandBeforeAndBehindTheVerbAndInTheEnvironment) {
  for (const auto& words : {std::vector<std::string>{"--json", "version"}, {"version", "--json"}}) {
    EXPECT_EQ(program_.run(words), kExitFine);
    EXPECT_THAT(program_.out, StartsWith(R"({"schema":"antifreeze/version/v1")"));
  }
  program_.environment["ANTIFREEZE_JSON"] = "1";
  EXPECT_EQ(program_.run({"version"}), kExitFine);
  EXPECT_THAT(program_.out, StartsWith(R"({"schema":"antifreeze/version/v1")"));
  program_.environment["ANTIFREEZE_JSON"] = "perhaps";
  EXPECT_EQ(program_.run({"version"}), kExitUsage);
}

TEST_F(Dispatch, AVersionInTheEnvironmentIsNotOurOption) {
  program_.environment["ANTIFREEZE_VERSION"] = "1.2.3";
  EXPECT_EQ(program_.run({"help"}), kExitFine);
  EXPECT_THAT(program_.out, StartsWith("usage: "));
}

TEST_F(Dispatch, RefusesJsonWhereThereIsNoneAndWordsTooMany) {
  EXPECT_EQ(program_.run({"completion", "bash", "--json"}), kExitUsage);
  EXPECT_EQ(program_.err, "antifreeze: 'completion' has no --json\n");
  EXPECT_EQ(program_.run({"version", "now"}), kExitUsage);
  EXPECT_THAT(program_.err, HasSubstr("unexpected 'now'"));
}

TEST(ParseAnywhere, OptionsMayFollowOperandsUpToTheDoubleDash) {
  constexpr std::array kSpecs{core::OptionSpec{"all", "", "", "x"}, core::OptionSpec{"dir", "DIR", "", "x"}};
  const std::array<std::string_view, 6> words{"a", "--dir", "d", "b", "--", "--all"};
  const auto parsed = parse_anywhere(kSpecs, words);
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->operands, ElementsAre("a", "b", "--all"));
  EXPECT_EQ(parsed->get("dir"), "d");
  EXPECT_FALSE(parsed->has("all"));
}

}  // namespace
}  // namespace antifreeze::cli
