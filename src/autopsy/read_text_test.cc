// A long log read by passing over quiet lines must give what reading every line gives.
#include "autopsy/read_text.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "host/fake/temp_dir.h"

namespace antifreeze::autopsy {
namespace {

constexpr std::uint64_t kEveryLine = std::uint64_t{1} << 60;

std::string stamp(int second, bool with_kernel_time) {
  char text[96];
  std::snprintf(text, sizeof text, "Nov %2d %02d:%02d:%02d spark ", 1 + second / 86400, second / 3600 % 24,
                second / 60 % 60, second % 60);
  std::string out = text;
  if (with_kernel_time) {
    std::snprintf(text, sizeof text, "kernel: [%5d.%06d] ", second, second * 7 % 1000000);
    out += text;
  }
  return out;
}

// 30,000 lines, 2 % of them with a sign in it, several boots, broken lines, colours.
std::string long_log(unsigned seed) {
  std::mt19937 random(seed);
  const auto one_of = [&](int many) { return static_cast<int>(random() % static_cast<unsigned>(many)); };
  std::string out;
  int second = 0;
  for (int i = 0; i < 30000; ++i) {
    second += one_of(3);
    switch (one_of(400)) {
      case 0:
        out +=
            stamp(second, true) + "NVRM: Xid (PCI:0000:01:00): " + std::to_string(31 + one_of(3)) + ", pid=7, name=x\n";
        break;
      case 1:
        out += stamp(second, true) + "NVRM: nvAssertFailedNoLog: Check failed: Out of memory [NV_ERR_NO_MEMORY]\n";
        out += "(0x00000051) returned from memdescAlloc(pMemDesc) @ kernel_graphics.c:12\n";
        break;
      case 2:
        out += "\x1b[31m" + stamp(second, true) + "INFO: task kworker:12 blocked for more than 120 seconds.\x1b[0m\r\n";
        break;
      case 3:
        out += stamp(second, false) + "CRON[12]: (root) CMD (true)\n";
        break;
      case 4:
        if (i % 7 == 0) out += "-- Reboot --\n";
        break;
      case 5:
        if (i % 9 == 0) out += stamp(second, true) + "Linux version 6.17.0\n";
        break;
      case 6:
        out += "\n";
        break;
      default:
        out += stamp(second, one_of(2) == 0) + "usb 1-1: ordinary line " + std::to_string(i) + "\n";
    }
  }
  if (seed % 2 == 0) out += std::string(300, '\0');
  if (seed % 3 == 0) out += stamp(second, true) + "the last line has no end";
  return out;
}

class Skipping : public testing::TestWithParam<unsigned> {};

TEST_P(Skipping, FindsWhatReadingEveryLineFinds) {
  const auto catalogue = signs::load_catalogue(AF_SOURCE_DIR "/knowledge");
  ASSERT_TRUE(catalogue);
  const auto matcher = signs::Matcher::build(*catalogue);
  ASSERT_TRUE(matcher);
  const host::fake::TempDir place;
  place.write("x.log", long_log(GetParam()));
  const auto fast = read_text({place.path("x.log")}, 2026, *catalogue, *matcher, {}, 10);
  const auto whole = read_text({place.path("x.log")}, 2026, *catalogue, *matcher, {}, kEveryLine);
  ASSERT_TRUE(fast);
  ASSERT_TRUE(whole);
  ASSERT_EQ(fast->boots.size(), whole->boots.size());
  EXPECT_GE(whole->boots.size(), 5U);
  for (std::size_t i = 0; i < whole->boots.size(); ++i) {
    const Boot& a = fast->boots[i];
    const Boot& b = whole->boots[i];
    SCOPED_TRACE(i);
    EXPECT_EQ(a.first, b.first);
    EXPECT_EQ(a.last, b.last);
    EXPECT_EQ(a.last_mono, b.last_mono);
    EXPECT_EQ(a.entries, b.entries);
    EXPECT_EQ(a.evidence.size(), b.evidence.size());
    ASSERT_EQ(a.tallies.size(), b.tallies.size());
    for (std::size_t t = 0; t < b.tallies.size(); ++t) {
      EXPECT_EQ(a.tallies[t].sign, b.tallies[t].sign);
      EXPECT_EQ(a.tallies[t].xid, b.tallies[t].xid);
      EXPECT_EQ(a.tallies[t].count, b.tallies[t].count);
      EXPECT_EQ(a.tallies[t].count_last_2min, b.tallies[t].count_last_2min);
      EXPECT_EQ(a.tallies[t].longest_burst, b.tallies[t].longest_burst);
      ASSERT_EQ(a.tallies[t].last.size(), b.tallies[t].last.size());
      EXPECT_EQ(a.tallies[t].last.back().line, b.tallies[t].last.back().line);
      EXPECT_EQ(a.tallies[t].last.back().position, b.tallies[t].last.back().position);
    }
    ASSERT_EQ(a.tail.size(), b.tail.size());
    for (std::size_t t = 0; t < b.tail.size(); ++t) {
      EXPECT_EQ(a.tail[t].text, b.tail[t].text);
      EXPECT_EQ(a.tail[t].wall, b.tail[t].wall);
      EXPECT_EQ(a.tail[t].origin, b.tail[t].origin);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Logs, Skipping, testing::Range(1U, 7U));

}  // namespace
}  // namespace antifreeze::autopsy
