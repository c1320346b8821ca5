#include "gate/neighbours.h"

#include <gtest/gtest.h>

#include "gate/event_log.h"

namespace antifreeze::gate {
namespace {

std::string line(std::string_view service, Phase phase, std::int64_t at, std::string_view boot = "b") {
  Event event;
  event.boot_id = boot;
  event.boottime = {at};
  event.service = service;
  event.domain = "host";
  event.phase = phase;
  return event_line(event) + "\n";
}

TEST(Neighbours, NamesThoseThatExitedMeanwhile) {
  const auto log = line("early", Phase::kExited, 5) + line("me", Phase::kStarting, 10) +
                   line("c", Phase::kStopping, 11) + line("c", Phase::kExited, 12) + "garbage\n{\"state\":\n" +
                   line("c", Phase::kExited, 13) + line("old", Phase::kExited, 14, "other boot") +
                   line("me", Phase::kExited, 15);
  EXPECT_EQ(neighbours_that_left(log, "me", {10}, "b"), std::vector<std::string>{"c"});
}

TEST(Neighbours, IsBounded) {
  std::string log;
  for (int i = 0; i < 100; ++i) log += line("s" + std::to_string(i), Phase::kExited, 20);
  EXPECT_EQ(neighbours_that_left(log, "me", {10}, "b").size(), 8U);
}

}  // namespace
}  // namespace antifreeze::gate
