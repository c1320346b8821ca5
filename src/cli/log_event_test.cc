#include "cli/log_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace antifreeze::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kBoot = "0b0b0b0b-1111-2222-3333-444444444444";

std::string written(std::int64_t boottime_ns, gate::Phase phase, std::string_view reason) {
  gate::Event event;
  event.boot_id = kBoot;
  event.boottime = {boottime_ns};
  event.service = "chat";
  event.domain = "host";
  event.phase = phase;
  event.reason = reason;
  event.pid = 7;
  event.memory.available_bytes = 3ull << 30;
  event.behind = "embed";
  event.exit_code = 1;
  return gate::event_line(event);
}

TEST(ParseEvent, ReadsWhatTheGateWrites) {
  const auto line = written(12'000'000'000, gate::Phase::kSettling, "healthy \"at last\"");
  const auto event = parse_event(line);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->boot_id, kBoot);
  EXPECT_EQ(event->boottime.ns, 12'000'000'000);
  EXPECT_EQ(event->service, "chat");
  EXPECT_EQ(event->phase, gate::Phase::kSettling);
  EXPECT_EQ(event->reason, "healthy \"at last\"");
  EXPECT_EQ(event->mem_available, 3ull << 30);
  EXPECT_EQ(event->behind, "embed");
  EXPECT_EQ(event->exit_code, 1);
  EXPECT_EQ(event->line, line);
}

TEST(ParseEvent, RefusesWhatIsNoEvent) {
  for (const char* line : {"", "{}", "[1]", "x", "{\"boot_id\":\"b\"}", "null",
                           R"({"boot_id":"b","boottime_ns":-1,"service":"s","state":"ready"})",
                           R"({"boot_id":"b","boottime_ns":1,"service":"","state":"ready"})",
                           R"({"boot_id":"b","boottime_ns":1,"service":"s","state":"flying"})",
                           R"({"boot_id":"b","boottime_ns":18446744073709551615,"service":"s","state":"ready"})",
                           R"({"boot_id":"b","boottime_ns":9223372036854775807,"service":"s","state":"ready"})",
                           R"({"boot_id":"b","boottime_ns":"1","service":"s","state":"ready"})",
                           R"({"boot_id":1,"boottime_ns":1,"service":"s","state":"ready"})"}) {
    EXPECT_FALSE(parse_event(line)) << line;
  }
  std::string deep = R"({"boot_id":"b","boottime_ns":1,"service":"s","state":"ready","x":)";
  deep += std::string(8000, '[') + std::string(8000, ']') + "}";
  EXPECT_TRUE(parse_event(deep));                            // odd, and harmless
  EXPECT_FALSE(parse_event(deep + std::string(1000, ' ')));  // longer than any honest line
}

TEST(ParseEvents, CountsGarbageAndLeavesAnUnfinishedLastLineOut) {
  const auto line = written(1, gate::Phase::kReady, "");
  const auto list = parse_events("garbage\n" + line + "\n\n\x01\xff\n" + line.substr(0, 30));
  EXPECT_THAT(list.events, SizeIs(1));
  EXPECT_EQ(list.garbage, 2U);
}

TEST(EventText, TellsWallTimeOfThisBootAndTheDistanceFromTheStartOfAnother) {
  const auto event = parse_event(written(60'000'000'000, gate::Phase::kReady, "settled"));
  ASSERT_TRUE(event);
  const TimeBase base{std::string(kBoot), {90'000'000'000}, {1'772'366'400'000'000'000}};
  EXPECT_EQ(event_text(*event, base),
            "2026-03-01T11:59:30.000Z  chat            ready       settled  (3 GiB available)");
  const TimeBase later{"other", {5}, {1'772'366'400'000'000'000}};
  EXPECT_THAT(event_text(*event, later), HasSubstr("boot 0b0b0b0b +1m00s"));
}

TEST(EventText, LetsNoControlCharacterThrough) {
  const auto event =
      parse_event(R"({"boot_id":"b","boottime_ns":1,"service":"\u001b[2Jx","state":"ready","reason":"a\nb"})");
  ASSERT_TRUE(event);
  EXPECT_THAT(event_text(*event, {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(event_text(*event, {}), Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace antifreeze::cli
