#include "runtime_setup/daemon_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace antifreeze::runtime_setup {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

const std::string kFolder = "/var/lib/antifreeze/runtime";

const std::vector<std::string> kFiles{
    "{\"log-driver\":\"json-file\"}",
    "{ \"log-driver\": \"json-file\", \"n\": 1.50 }\n",
    "{\n  \"log-driver\": \"json-file\"\n}\n",
    "{\n\t\"data-root\": \"/srv\",\n\t\"log-opts\": {\n\t\t\"max-size\": \"10m\"\n\t}\n}",
    "{\n    \"runtimes\": {\n        \"nvidia\": {\n            \"args\": [],\n            \"path\": "
    "\"nvidia-container-runtime\"\n        }\n    }\n}\n",
    "{\"runtimes\":{\"nvidia\":{\"path\":\"nvidia-container-runtime\",\"runtimeArgs\":[]}},\"default-runtime\":"
    "\"nvidia\"}",
    "{\r\n  \"a\": 1\r\n}\r\n",
};

TEST(DaemonJson, AddsBothEntriesAndNothingElse) {
  for (const auto& text : kFiles) {
    const auto with = with_entries(text, kFolder);
    ASSERT_TRUE(with) << text;
    auto expected = Json::parse(text);
    expected["runtimes"]["antifreeze"]["path"] = kFolder + "/antifreeze-runtime";
    expected["runtimes"]["antifreeze-nvidia"]["path"] = kFolder + "/antifreeze-runtime-nvidia";
    EXPECT_EQ(Json::parse(*with), expected) << *with;
    EXPECT_EQ(look(*with, kFolder)->entries[0].state, EntryState::kPresent);
    EXPECT_EQ(look(*with, kFolder)->entries[1].state, EntryState::kPresent);
    EXPECT_EQ(*with_entries(*with, kFolder), *with);  // again: nothing
  }
}

TEST(DaemonJson, TakingThemOutRestoresEveryByte) {
  for (const auto& text : kFiles) {
    EXPECT_EQ(*without_entries(*with_entries(text, kFolder), !has_runtimes(text)), text);
  }
}

TEST(DaemonJson, MakesAFileWhereThereIsNone) {
  const auto with = with_entries("", kFolder);
  ASSERT_TRUE(with);
  EXPECT_EQ(
      *with,
      "{\n    \"runtimes\": {\n        \"antifreeze\": {\n            \"path\": "
      "\"/var/lib/antifreeze/runtime/antifreeze-runtime\"\n        },\n        \"antifreeze-nvidia\": {\n            "
      "\"path\": \"/var/lib/antifreeze/runtime/antifreeze-runtime-nvidia\"\n        }\n    }\n}\n");
}

TEST(DaemonJson, WhatOthersAddedMeanwhileStays) {
  const std::string before = "{\n    \"log-driver\": \"local\"\n}\n";
  auto text = *with_entries(before, kFolder);
  // As nvidia-ctk writes it: parsed, an entry added, keys sorted, indented anew.
  auto theirs = nlohmann::json::parse(text);
  theirs["runtimes"]["nvidia"]["path"] = "nvidia-container-runtime";
  const auto without = without_entries(theirs.dump(4), true);
  ASSERT_TRUE(without);
  EXPECT_EQ(Json::parse(*without),
            Json::parse(R"({"log-driver":"local","runtimes":{"nvidia":{"path":"nvidia-container-runtime"}}})"));
}

TEST(DaemonJson, TellsWhatIsLostAndWhatIsRewritten) {
  const auto lost = look("{}", kFolder);
  EXPECT_EQ(lost->entries[0].state, EntryState::kAbsent);
  const auto other = look(R"({"runtimes":{"antifreeze":{"path":"runc"}},"default-runtime":"antifreeze"})", kFolder);
  EXPECT_EQ(other->entries[0].state, EntryState::kRewritten);
  EXPECT_EQ(other->entries[0].found, "runc");
  EXPECT_TRUE(other->is_default);
  const auto repaired = with_entries(R"({"runtimes":{"antifreeze":{"path":"runc"}},"x":1})", kFolder);
  EXPECT_EQ(look(*repaired, kFolder)->entries[0].state, EntryState::kPresent);
}

TEST(DaemonJson, RefusesWhatItCannotChangeSafely) {
  for (const std::string text : {"[]", "{", "{\"runtimes\":[]}", "{\"runtimes\":{},\"Runtimes\":{}}", "{\"a\":1,}",
                                 "{\"runtimes\":{\"antifreeze\":{},\"antifreeze\":{}}}", "// comment\n{}"}) {
    EXPECT_FALSE(with_entries(text, kFolder)) << text;
    EXPECT_FALSE(without_entries(text, true)) << text;
  }
  EXPECT_THAT(with_entries("{\n  \"a\": 1,\n}", kFolder).error().message(), HasSubstr("line 3"));
}

TEST(DaemonJson, ShowsTheDifference) {
  EXPECT_EQ(line_difference("a\nb\nc\nd\n", "a\nb\nc\nx\ny\nd\n"), "  b\n  c\n+ x\n+ y\n  d\n");
  EXPECT_EQ(line_difference("a\nb\n", "a\nc\n"), "  a\n- b\n+ c\n");
  EXPECT_EQ(line_difference("a\n", "a\n"), "");
}

}  // namespace
}  // namespace antifreeze::runtime_setup
