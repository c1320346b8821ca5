#include "cli/log_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>

#include <fstream>

#include "host/fake/temp_dir.h"

namespace antifreeze::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string line(const std::string& service) {
  return R"({"boot_id":"b","boottime_ns":1,"service":")" + service +
         R"(","domain":"host","state":"ready","reason":"","pid":1})" + "\n";
}

class LogFiles : public testing::Test {
 protected:
  void append(const std::string& text) const { std::ofstream(dir_.path("log.jsonl"), std::ios::app) << text; }
  std::vector<std::string> news(LogFollower& follower) {
    std::vector<std::string> services;
    const auto list = follower.wait();
    EXPECT_TRUE(list);
    for (const auto& event : list->events) services.push_back(event.service);
    return services;
  }
  host::fake::TempDir dir_;
};

TEST_F(LogFiles, AMissingLogIsEmpty) {
  const auto list = read_gate_log(dir_.fd());
  ASSERT_TRUE(list);
  EXPECT_THAT(list->events, IsEmpty());
}

TEST_F(LogFiles, ALinkIsNotFollowed) {
  dir_.write("elsewhere", line("a"));
  dir_.link(dir_.path("elsewhere"), "log.jsonl");
  EXPECT_FALSE(read_gate_log(dir_.fd()));
}

TEST_F(LogFiles, OfAHugeLogTheEndIsRead) {
  std::string text;
  const auto long_line = line("old") + std::string(8000, ' ') + "\n";
  while (text.size() <= kMaxLogRead + 4096) text += long_line;
  dir_.write("log.jsonl", text + line("last"));
  const auto list = read_gate_log(dir_.fd());
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_EQ(list->events.back().service, "last");
  EXPECT_EQ(list->garbage, 0U);
}

TEST_F(LogFiles, FollowsNewLinesAcrossARotation) {
  append(line("before"));
  auto follower = LogFollower::at_end(dir_.fd(), dir_.path());
  ASSERT_TRUE(follower);
  append(line("a") + line("b").substr(0, 20));
  EXPECT_THAT(news(*follower), ElementsAre("a"));
  append(line("b").substr(20));
  EXPECT_THAT(news(*follower), ElementsAre("b"));
  append(line("c"));
  ASSERT_EQ(::rename(dir_.path("log.jsonl").c_str(), dir_.path("log.1.jsonl").c_str()), 0);
  append(line("d"));
  EXPECT_THAT(news(*follower), ElementsAre("c", "d"));
}

TEST_F(LogFiles, FollowsALogThatDoesNotExistYetAndOneThatIsEmptied) {
  auto follower = LogFollower::at_end(dir_.fd(), dir_.path());
  ASSERT_TRUE(follower);
  append(line("first"));
  EXPECT_THAT(news(*follower), ElementsAre("first"));
  dir_.write("log.jsonl", "");
  EXPECT_THAT(news(*follower), IsEmpty());
  append(line("x"));
  EXPECT_THAT(news(*follower), ElementsAre("x"));
}

}  // namespace
}  // namespace antifreeze::cli
