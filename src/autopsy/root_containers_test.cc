// What containers said last, from Docker's own files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "autopsy/assemble.h"
#include "autopsy/root_reader.h"
#include "autopsy/root_sources.h"
#include "host/fake/temp_dir.h"
#include "readings/date.h"

namespace antifreeze::autopsy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kId(64, 'a');

std::string line(const std::string& time, const std::string& text) {
  return R"({"log":")" + text + R"(\n","stream":"stderr","time":")" + time + "\"}\n";
}

RootFindings read(const host::fake::TempDir& root) {
  RootFindings found;
  RootReader reader(root.path(), found);
  read_containers(reader, found);
  return found;
}

Boot boot(const std::string& first, const std::string& last) {
  Boot made;
  made.boot_id = std::string(32, 'b');
  made.first = readings::parse_iso_time(first);
  made.last = readings::parse_iso_time(last);
  return made;
}

TEST(Containers, TheLastWordsAreReadWithTheContainersName) {
  const host::fake::TempDir root;
  const std::string folder = "var/lib/docker/containers/" + kId + "/";
  root.write(folder + "config.v2.json", R"({"ID":"x","Name":"/chat"})");
  root.write(folder + kId + "-json.log", "torn line\"}\n" + line("2026-03-02T08:00:00.5Z", "Loading weights") +
                                             line("2026-03-02T08:00:09Z", "50 %") + line("never", "x") + "{\"log\":");
  const RootFindings found = read(root);
  ASSERT_THAT(found.said, SizeIs(1));
  EXPECT_EQ(found.said[0].container, "chat");
  ASSERT_THAT(found.said[0].lines, SizeIs(2));
  EXPECT_EQ(found.said[0].lines[1].text, "50 %");
  EXPECT_THAT(found.cannot_read, IsEmpty());
}

TEST(Containers, WithoutAConfigurationTheIdIsTheName) {
  const host::fake::TempDir root;
  root.write("var/lib/docker/containers/" + kId + "/" + kId + "-json.log", line("2026-03-02T08:00:00Z", "x"));
  EXPECT_EQ(read(root).said.at(0).container, "aaaaaaaaaaaa");
}

TEST(Containers, ALinkOutOfTheRootIsNotFollowed) {
  const host::fake::TempDir root;
  const host::fake::TempDir outside;
  outside.write("secret", line("2026-03-02T08:00:00Z", "secret"));
  root.write("var/lib/docker/containers/" + kId + "/keep", "");
  root.link(outside.path("secret"), "var/lib/docker/containers/" + kId + "/" + kId + "-json.log");
  EXPECT_THAT(read(root).said, IsEmpty());
}

TEST(Containers, TheyAreBookedOnTheBootThatTheySpokeIn) {
  RootFindings root;
  root.running_boot_id = "";
  root.said = {{"chat",
                {{*readings::parse_iso_time("2026-03-02T07:59:00Z"), "early"},
                 {*readings::parse_iso_time("2026-03-02T08:59:50Z"), "Loading weights"},
                 {*readings::parse_iso_time("2026-03-02T09:00:07Z"), "after the journal"},
                 {*readings::parse_iso_time("2026-03-02T09:02:30Z"), "next boot"}}},
               {"quiet", {{*readings::parse_iso_time("2026-03-02T08:10:00Z"), "long before"}}}};
  const auto boots = assemble(
      {boot("2026-03-02T08:00:00Z", "2026-03-02T09:00:00Z"), boot("2026-03-02T09:02:00Z", "2026-03-02T09:30:00Z")},
      root, {});
  ASSERT_THAT(boots[0].evidence, SizeIs(1));
  EXPECT_EQ(boots[0].evidence[0].line, "chat, 7 s after the journal's last line: after the journal");
  EXPECT_THAT(boots[1].evidence, IsEmpty());
}

TEST(Containers, TheNewestWordsStandFirstAndAreBounded) {
  RootFindings root;
  root.running_boot_id = "";
  for (int i = 0; i < 20; ++i) {
    root.said.push_back(
        {"c" + std::to_string(i), {{core::WallTime{readings::parse_iso_time("2026-03-02T08:59:00Z")->ns + i}, "x"}}});
  }
  const auto boots = assemble({boot("2026-03-02T08:00:00Z", "2026-03-02T09:00:00Z")}, root, {});
  ASSERT_THAT(boots[0].evidence, SizeIs(8));
  EXPECT_THAT(boots[0].evidence[0].line, HasSubstr("c19, 59 s before the journal's last line: x"));
}

}  // namespace
}  // namespace antifreeze::autopsy
