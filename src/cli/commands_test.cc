#include "cli/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/completion_script.h"
#include "cli/help.h"
#include "cli/man_page.h"
#include "cli/markdown_page.h"
#include "cli/width.h"

namespace antifreeze::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<core::OptionSpec> all_options(const Command& command) {
  std::vector<core::OptionSpec> all(command.options.begin(), command.options.end());
  if (command.raw == nullptr) all.insert(all.end(), global_options().begin(), global_options().end());
  return all;
}

TEST(Commands, NoTwoHaveTheSamePath) {
  std::set<std::string_view> paths;
  for (const auto* command : commands()) EXPECT_TRUE(paths.insert(command->path).second) << command->path;
}

TEST(Commands, NoVerbHasAnOptionTwice) {
  for (const auto* command : commands()) {
    std::set<std::string_view> names;
    std::set<char> letters;
    for (const auto& option : all_options(*command)) {
      EXPECT_TRUE(names.insert(option.name).second) << command->path << " --" << option.name;
      if (option.short_name == 0) continue;
      EXPECT_TRUE(letters.insert(option.short_name).second) << command->path << " -" << option.short_name;
    }
  }
}

TEST(Commands, EachSaysWhatItIsForAndHasExactlyOneHandler) {
  for (const auto* command : commands()) {
    EXPECT_FALSE(command->summary.empty()) << command->path;
    EXPECT_FALSE(command->summary.ends_with('.')) << command->path;
    EXPECT_FALSE(command->description.empty()) << command->path;
    EXPECT_NE(command->handler == nullptr, command->raw == nullptr) << command->path;
    for (const auto& option : command->options) {
      EXPECT_FALSE(option.help.empty()) << command->path << " --" << option.name;
      EXPECT_FALSE(option.help.ends_with('.')) << command->path << " --" << option.name;
    }
  }
}

TEST(Commands, EveryVerbThatAFileDefinesIsInTheTable) {
  constexpr std::string_view kDefinition = "\nconst Command k";
  std::size_t defined = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(AF_SOURCE_DIR) / "src/cli")) {
    if (!entry.path().filename().string().starts_with("verb_")) continue;
    const auto text = read_file(entry.path());
    for (auto at = text.find(kDefinition); at != std::string::npos; at = text.find(kDefinition, at + 1)) ++defined;
  }
  EXPECT_EQ(defined, commands().size());
}

TEST(Commands, NearestFindsATypingErrorButNotAnotherWord) {
  EXPECT_EQ(nearest_command("gate stauts"), "gate status");
  EXPECT_EQ(nearest_command("verison"), "version");
  EXPECT_EQ(nearest_command("xyz"), "");
  EXPECT_EQ(nearest_command("rm"), "");
}

TEST(Help, OfTheProgramListsEveryVerb) {
  std::size_t widest = 0;
  for (const auto* command : commands()) widest = std::max(widest, command->path.size());
  for (const auto* command : commands()) {
    EXPECT_THAT(program_help(), HasSubstr("  " + pad(command->path, widest) + "  " + std::string(command->summary)));
  }
}

TEST(Help, OfAVerbNamesItsOptionsAndExitCodes) {
  const auto text = command_help(*find_command("gate reset"));
  EXPECT_TRUE(text.starts_with("usage: antifreeze gate reset [OPTIONS] NAME\n\n"));
  for (const char* part : {"--all", "--registry", "--safe-boot", "--gate-dir DIR", "--dry-run", "77 not permitted"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  const auto run = command_help(*find_command("run"));
  EXPECT_THAT(run, HasSubstr("--start-timeout DURATION"));
  EXPECT_THAT(run, HasSubstr("  127  the command was not found"));
  EXPECT_THAT(run, Not(HasSubstr("--dry-run")));
}

TEST(Help, WrapsWordsAndKeepsEmptyLines) {
  EXPECT_EQ(wrap("aaa bbb ccc\n\nd", 7), "aaa bbb\nccc\n\nd\n");
  EXPECT_EQ(wrap("aaa bbb", 7, 2), "  aaa\n  bbb\n");
  EXPECT_EQ(wrap("ääää ö", 6), "ääää ö\n");
}

TEST(ManPage, HasItsSectionsAndEscapesHyphens) {
  const auto page = command_man_page(*find_command("gate log"));
  EXPECT_THAT(page, HasSubstr(".TH \"ANTIFREEZE-GATE-LOG\" 1 "));
  EXPECT_THAT(page, HasSubstr(".SH NAME\nantifreeze\\-gate\\-log \\- what happened at the gate"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-n\\fR, \\fB\\-\\-lines\\fR \\fIN\\fR\n"));
  EXPECT_THAT(page, HasSubstr("Environment: ANTIFREEZE_LINES.\n"));
  const auto run = command_man_page(*find_command("run"));
  EXPECT_THAT(run, HasSubstr("\\fBantifreeze\\-run\\fR"));
  EXPECT_THAT(run, HasSubstr("\\-\\-settle\\-cap"));
}

TEST(Completions, NameEveryVerbAndOption) {
  const auto bash = bash_completion();
  const auto zsh = zsh_completion();
  const auto fish = fish_completion();
  for (const auto* command : commands()) {
    for (const auto& option : command->options) {
      const std::string name(option.name);
      EXPECT_THAT(bash, HasSubstr("--" + name)) << command->path;
      EXPECT_THAT(zsh, HasSubstr("'--" + name + "[")) << command->path;
      EXPECT_THAT(fish, HasSubstr("-l " + name + " ")) << command->path;
    }
  }
}

/// `antifreeze completion markdown docs/reference` brings the files up to date.
TEST(Reference, CommittedFilesAreWhatTheTableGenerates) {
  const auto folder = std::filesystem::path(AF_SOURCE_DIR) / "docs/reference";
  std::set<std::string> expected{"antifreeze.md"};
  EXPECT_EQ(read_file(folder / "antifreeze.md"), program_markdown());
  for (const auto* command : commands()) {
    const auto name = command->page_name() + ".md";
    expected.insert(name);
    EXPECT_EQ(read_file(folder / name), command_markdown(*command)) << name;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".md") continue;
    EXPECT_TRUE(expected.contains(entry.path().filename().string())) << entry.path() << " belongs to no verb";
  }
}

}  // namespace
}  // namespace antifreeze::cli
