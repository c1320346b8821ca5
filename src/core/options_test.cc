#include "core/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace antifreeze::core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::array<OptionSpec, 4> kSpecs{{{"name", "NAME", "", "what the service is called"},
                                            {"start-timeout", "DURATION", "15m", "how long a start may take"},
                                            {"boot", "INDEX", "", "which boot", 'b'},
                                            {"always", "", "", "starts in safe boot as well", 'a'}}};

Result<ParsedOptions> parse(std::vector<std::string_view> args) { return parse_options(kSpecs, args); }

std::string error_of(std::vector<std::string_view> args) {
  const auto parsed = parse(std::move(args));
  EXPECT_FALSE(parsed);
  return parsed ? "" : parsed.error().message();
}

TEST(ParseOptions, ReadsValuesInBothSpellings) {
  const auto parsed = parse({"--name", "web", "--start-timeout=30s", "-b", "-1", "-a"});
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(parsed->get("name"), "web");
  EXPECT_EQ(parsed->get("start-timeout"), "30s");
  EXPECT_EQ(parsed->get("boot"), "-1") << "a value may begin with a dash";
  EXPECT_TRUE(parsed->has("always"));
  EXPECT_THAT(parsed->operands, IsEmpty());
}

TEST(ParseOptions, ReadsAShortOptionWithItsValueAttached) {
  const auto parsed = parse({"-b-1"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->get("boot"), "-1");
}

TEST(ParseOptions, LeavesTheCommandBehindTheDashesUntouched) {
  const auto parsed = parse({"--name", "web", "--", "vllm", "--name", "--", "x", "--unknown"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->get("name"), "web");
  EXPECT_THAT(parsed->operands, ElementsAre("vllm", "--name", "--", "x", "--unknown"));
}

TEST(ParseOptions, StopsAtTheFirstOperand) {
  const auto parsed = parse({"status", "--name", "web"});
  ASSERT_TRUE(parsed);
  EXPECT_FALSE(parsed->has("name"));
  EXPECT_THAT(parsed->operands, ElementsAre("status", "--name", "web"));
}

TEST(ParseOptions, ASingleDashIsAnOperand) {
  const auto parsed = parse({"-", "--name"});
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->operands, ElementsAre("-", "--name"));
}

TEST(ParseOptions, TheLastOfTwoWins) { EXPECT_EQ(parse({"--name=a", "--name=b"})->get("name"), "b"); }

TEST(ParseOptions, AnEmptyValueIsAValue) {
  EXPECT_EQ(parse({"--name="})->get("name"), "");
  EXPECT_EQ(parse({"--name", ""})->get("name"), "");
}

TEST(ParseOptions, SuggestsTheNearestNameForATypingError) {
  EXPECT_EQ(error_of({"--nmae", "web"}), "unknown option '--nmae'; did you mean --name?");
  EXPECT_EQ(error_of({"--start-timout=3s"}), "unknown option '--start-timout'; did you mean --start-timeout?");
}

TEST(ParseOptions, SuggestsNothingFarFetched) { EXPECT_EQ(error_of({"--gather"}), "unknown option '--gather'"); }

TEST(ParseOptions, NamesAnUnknownShortOption) { EXPECT_THAT(error_of({"-z"}), HasSubstr("unknown option '-z'")); }

TEST(ParseOptions, SaysWhichValueIsMissing) {
  EXPECT_EQ(error_of({"--start-timeout"}), "option --start-timeout needs a value: DURATION");
  EXPECT_EQ(error_of({"-b"}), "option --boot needs a value: INDEX");
}

TEST(ParseOptions, ASwitchTakesNoValue) {
  EXPECT_EQ(error_of({"--always=1"}), "option --always takes no value");
  EXPECT_EQ(error_of({"-ab"}), "option --always takes no value");
}

using Variables = std::map<std::string, std::string, std::less<>>;

std::optional<std::string> lookup(std::string_view name, const void* context) {
  const auto& variables = *static_cast<const Variables*>(context);
  const auto it = variables.find(name);
  if (it == variables.end()) return std::nullopt;
  return it->second;
}

TEST(EnvironmentName, IsTheOptionInCapitals) {
  EXPECT_EQ(environment_name("start-timeout"), "ANTIFREEZE_START_TIMEOUT");
  EXPECT_EQ(environment_name("name"), "ANTIFREEZE_NAME");
}

TEST(ApplyEnvironment, FillsInWhatWasNotGiven) {
  auto parsed = parse({"--name", "given"});
  ASSERT_TRUE(parsed);
  const Variables variables{{"ANTIFREEZE_NAME", "twin"}, {"ANTIFREEZE_START_TIMEOUT", "1m"}, {"NAME", "other"}};
  ASSERT_TRUE(apply_environment(kSpecs, *parsed, lookup, &variables));
  EXPECT_EQ(parsed->get("name"), "given");
  EXPECT_EQ(parsed->get("start-timeout"), "1m");
  EXPECT_FALSE(parsed->has("boot"));
}

TEST(ApplyEnvironment, AnEmptyVariableCountsAsNotSet) {
  ParsedOptions parsed;
  const Variables variables{{"ANTIFREEZE_NAME", ""}, {"ANTIFREEZE_START_TIMEOUT", ""}};
  ASSERT_TRUE(apply_environment(kSpecs, parsed, lookup, &variables));
  EXPECT_FALSE(parsed.has("name"));
  EXPECT_FALSE(parsed.has("start-timeout"));
}

TEST(ApplyEnvironment, RemembersWhereAValueCameFrom) {
  auto parsed = parse({"--name", "given"});
  ASSERT_TRUE(parsed);
  const Variables variables{{"ANTIFREEZE_NAME", "twin"}, {"ANTIFREEZE_START_TIMEOUT", "1m"}};
  ASSERT_TRUE(apply_environment(kSpecs, *parsed, lookup, &variables));
  EXPECT_EQ(parsed->source("name"), "--name");
  EXPECT_EQ(parsed->source("start-timeout"), "ANTIFREEZE_START_TIMEOUT");
  EXPECT_EQ(parsed->source("boot"), "--boot");
}

TEST(ApplyEnvironment, AnImagesOwnVersionIsNoRequestForOurs) {
  constexpr std::array specs{OptionSpec{"version", "", "", ""}, OptionSpec{"help", "", "", ""}};
  ParsedOptions parsed;
  const auto always = [](std::string_view, const void*) { return std::optional<std::string>("1.2.3"); };
  ASSERT_TRUE(apply_environment(specs, parsed, always, nullptr));
  EXPECT_TRUE(parsed.values.empty());
}

TEST(ApplyEnvironment, ReadsSwitchesAsYesOrNo) {
  for (const auto* yes : {"1", "true", "YES", "on"}) {
    ParsedOptions parsed;
    const Variables variables{{"ANTIFREEZE_ALWAYS", yes}};
    ASSERT_TRUE(apply_environment(kSpecs, parsed, lookup, &variables));
    EXPECT_EQ(parsed.get("always"), "1") << yes;
  }
  for (const auto* no : {"0", "false", "No", "off", ""}) {
    ParsedOptions parsed;
    const Variables variables{{"ANTIFREEZE_ALWAYS", no}};
    ASSERT_TRUE(apply_environment(kSpecs, parsed, lookup, &variables));
    EXPECT_FALSE(parsed.has("always")) << "'" << no << "'";
  }
}

TEST(ApplyEnvironment, RefusesASwitchThatIsNeither) {
  ParsedOptions parsed;
  const Variables variables{{"ANTIFREEZE_ALWAYS", "maybe"}};
  const auto status = apply_environment(kSpecs, parsed, lookup, &variables);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "environment variable ANTIFREEZE_ALWAYS='maybe' is neither 1 nor 0");
}

TEST(OptionsHelp, NamesEveryOptionItsValueAndItsDefault) {
  const auto help = options_help(kSpecs);
  EXPECT_THAT(help, HasSubstr("--name NAME"));
  EXPECT_THAT(help, HasSubstr("how long a start may take [15m]\n"));
  EXPECT_THAT(help, HasSubstr("-b, --boot INDEX"));
  EXPECT_THAT(help, HasSubstr("-a, --always"));
  EXPECT_THAT(help, Not(HasSubstr("[]")));
}

TEST(OptionsHelp, SentencesBeginInOneColumn) {
  const auto help = options_help(kSpecs);
  const auto column_of = [&](std::string_view sentence) {
    const auto at = help.find(sentence);
    EXPECT_NE(at, std::string::npos) << sentence;
    return at - (help.rfind('\n', at) + 1);
  };
  EXPECT_EQ(column_of("what the service is called"), column_of("how long a start may take"));
  EXPECT_EQ(column_of("which boot"), column_of("starts in safe boot as well"));
}

}  // namespace
}  // namespace antifreeze::core
