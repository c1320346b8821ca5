#include "readings/wtmp.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace antifreeze::readings {
namespace {

std::string record(std::int16_t type, const std::string& user, std::uint32_t seconds) {
  std::string out(384, '\0');
  std::memcpy(out.data(), &type, sizeof type);
  user.copy(out.data() + 44, 32);
  std::memcpy(out.data() + 340, &seconds, sizeof seconds);
  return out;
}

TEST(Wtmp, BootsAndShutdowns) {
  const auto read = parse_wtmp(record(2, "reboot", 1000) + record(1, "runlevel", 1001) + record(7, "ann\x1b[2J", 1002) +
                               record(1, "shutdown", 2000) + "torn");
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].kind, WtmpRecord::Kind::kBoot);
  EXPECT_EQ(read[0].wall.ns, 1'000'000'000'000);
  EXPECT_EQ(read[1].kind, WtmpRecord::Kind::kLogin);
  EXPECT_EQ(read[1].detail.find('\x1b'), std::string::npos) << "a terminal would obey";
  EXPECT_EQ(read[2].kind, WtmpRecord::Kind::kShutdown);
}

TEST(Wtmp, GarbageAndEmptyFilesGiveNothing) {
  EXPECT_TRUE(parse_wtmp("").empty());
  EXPECT_TRUE(parse_wtmp(std::string(4000, '\xff')).empty());
  EXPECT_TRUE(parse_wtmp(std::string(4000, '\0')).empty());
}

}  // namespace
}  // namespace antifreeze::readings
