#include "readings/log_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "readings/date.h"
#include "readings/log_clean.h"

namespace antifreeze::readings {
namespace {

struct Line {
  std::optional<std::int64_t> wall_s, mono_ms;
  LogOrigin origin;
  std::string identifier, message;
  int boot;
  std::optional<int> priority;
};

std::vector<Line> read(const std::string& text, std::size_t step = 1 << 20) {
  std::vector<Line> out;
  int boot = 0;
  LogTextReader reader(2026, {[&](const LogEntry& entry) {
                                Line line;
                                if (entry.wall) line.wall_s = entry.wall->ns / 1'000'000'000;
                                if (entry.mono) line.mono_ms = entry.mono->ns / 1'000'000;
                                line.origin = entry.origin;
                                line.identifier = entry.identifier;
                                line.message = entry.message;
                                line.boot = boot;
                                line.priority = entry.priority;
                                out.push_back(line);
                              },
                              [&](std::string_view) { ++boot; }});
  for (std::size_t at = 0; at < text.size(); at += step) reader.feed(std::string_view(text).substr(at, step));
  reader.finish();
  return out;
}

Line one(const std::string& text) {
  const auto lines = read(text + "\n");
  EXPECT_EQ(lines.size(), 1U) << text;
  return lines.empty() ? Line() : lines[0];
}

std::int64_t at(std::string_view iso) { return parse_iso_time(iso)->ns / 1'000'000'000; }

TEST(LogText, EachFormatGivesStampSenderAndMessage) {
  struct Case {
    const char* text;
    std::optional<std::int64_t> wall, mono_ms;
    LogOrigin origin;
    const char* message;
  };
  const auto nov30 = at("2026-11-30T20:21:07");
  const Case cases[] = {
      {"[  120.500000] NVRM: x", {}, 120500, LogOrigin::kKernel, "NVRM: x"},
      {"[  120.500000][   T31] NVRM: x", {}, 120500, LogOrigin::kKernel, "NVRM: x"},
      {"[    5.000000] [    C2] rcu: x", {}, 5000, LogOrigin::kKernel, "rcu: x"},
      {"[Mon Nov 30 20:21:07 2026] NVRM: x", nov30, {}, LogOrigin::kKernel, "NVRM: x"},
      {"6,339,5140900,-;NVRM: x", {}, 5140, LogOrigin::kKernel, "NVRM: x"},
      {"kern  :warn  : [    1.250000] NVRM: x", {}, 1250, LogOrigin::kKernel, "NVRM: x"},
      {"kern  :warn  : 2026-11-30T20:21:07,000001+00:00 NVRM: x", nov30, {}, LogOrigin::kKernel, "NVRM: x"},
      {"<4>[    1.250000] NVRM: x", {}, 1250, LogOrigin::kKernel, "NVRM: x"},
      {"2026-11-30T20:21:07.5+00:00 box kernel: [   99.100000] NVRM: x", nov30, 99100, LogOrigin::kKernel, "NVRM: x"},
      {"Nov 30 20:21:07 box kernel: NVRM: x", nov30, {}, LogOrigin::kKernel, "NVRM: x"},
      {"Nov 30 20:21:07.123 box systemd[1]: Started x.", nov30, {}, LogOrigin::kInit, "Started x."},
      {"lis 30 20:21:07 box systemd-journald[77]: Journal stopped", nov30, {}, LogOrigin::kJournald, "Journal stopped"},
      {"30 нояб 20:21:07 box sshd[9]: x", nov30, {}, LogOrigin::kService, "x"},
      {"30 Nov, 20:21:07 NVRM: x y", nov30, {}, LogOrigin::kUnknown, "NVRM: x y"},
      {"[   99.100000] box kernel: NVRM: x", {}, 99100, LogOrigin::kKernel, "NVRM: x"},
      {"[   99.100000] systemd[1]: Started x.", {}, 99100, LogOrigin::kInit, "Started x."},
      {"2026-11-30 20:21:07 box kernel: NVRM: x", nov30, {}, LogOrigin::kKernel, "NVRM: x"},
      {"> [  120.500000] NVRM: x", {}, 120500, LogOrigin::kKernel, "NVRM: x"},
      {"  1234  [  120.500000] NVRM: x", {}, 120500, LogOrigin::kKernel, "NVRM: x"},
      {"\x1b[32m[  120.500000] \x1b[0m\x1b[31mNVRM: x\x1b[0m\r", {}, 120500, LogOrigin::kKernel, "NVRM: x"},
      {"NVRM: x", {}, {}, LogOrigin::kUnknown, "NVRM: x"},
  };
  for (const Case& expected : cases) {
    const Line line = one(expected.text);
    EXPECT_EQ(line.wall_s, expected.wall) << expected.text;
    EXPECT_EQ(line.mono_ms, expected.mono_ms) << expected.text;
    EXPECT_EQ(line.origin, expected.origin) << expected.text;
    EXPECT_EQ(line.message, expected.message) << expected.text;
  }
}

TEST(LogText, ADeviceIsNoProgram) {
  const auto lines = read(
      "Nov 30 20:21:07 box kernel: nvme nvme0: x\n2026-11-30T20:21:08,1+00:00 nvme nvme0: I/O tag\n"
      "Nov 30 20:21:09 box cron: y\n");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].message, "nvme nvme0: x");
  EXPECT_EQ(lines[1].message, "nvme nvme0: I/O tag");
  EXPECT_EQ(lines[2].identifier, "cron");
}

TEST(LogText, DeltasAddUp) {
  const auto lines = read("[Mon Nov 30 20:21:07 2026] a\n[  +2.500000] b\n[  +1.500000] c\n");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(*lines[2].wall_s - *lines[0].wall_s, 4);
}

TEST(LogText, ABrokenDriverLineIsPutTogether) {
  const auto lines = read(
      "[    1.000000] NVRM: GPU0 f: Check failed: Out of memory [NV_ERR_NO_MEMORY]\n(0x00000051) returned from x\n"
      "[    2.000000] y\n");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].message,
            "NVRM: GPU0 f: Check failed: Out of memory [NV_ERR_NO_MEMORY] (0x00000051) returned from x");
}

TEST(LogText, BootsAreToldApart) {
  const auto lines = read(
      "-- Boot 0123456789abcdef0123456789abcdef --\nNov 30 20:21:07 b kernel: Linux version 6.1\n"
      "Nov 30 20:21:08 b kernel: a\n-- Reboot --\nNov 30 20:25:08 b kernel: b\n");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1].boot, 1);
  EXPECT_EQ(lines[2].boot, 2);
  const auto two = read("[    0.000000] Linux version 6.1\n[    9.0] x\n[    0.000000] Linux version 6.1\n");
  EXPECT_EQ(two.back().boot, 1);
}

TEST(LogText, TheFirstTwoLinesOfAnArm64KernelAreOneBoot) {
  const std::string start =
      "[    0.000000] Booting Linux on physical CPU 0x0000000000 [0x410fd851]\n[    0.000000] Linux version 6.11.0\n";
  const auto lines = read(start + "[    9.0] x\n" + start + "[    9.0] y\n");
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[2].boot, 0);
  EXPECT_EQ(lines[3].boot, 1);
  EXPECT_EQ(lines[5].boot, 1);
}

TEST(LogText, NewYearIsPassed) {
  const auto lines = read("Dec 31 23:59:59 b kernel: a\nJan  1 00:00:01 b kernel: b\n");
  EXPECT_EQ(*lines[1].wall_s - *lines[0].wall_s, 2);
}

TEST(LogText, WhereTheBlocksAreCutMakesNoDifference) {
  std::string text;
  for (int i = 0; i < 50; ++i)
    text += "Nov 30 20:21:07 box kernel: [   99.10000" + std::to_string(i % 10) + "] NVRM: line " + std::to_string(i) +
            "\r\n";
  const auto whole = read(text);
  for (const std::size_t step : {1U, 7U, 64U}) {
    const auto pieces = read(text, step);
    ASSERT_EQ(pieces.size(), whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(pieces[i].message, whole[i].message);
  }
}

TEST(LogText, HostileLinesAreBounded) {
  std::string text(5 << 20, 'x');
  text += "\n" + std::string(1000, '\0') + "\n\xff\xfe[ 1.0] y\n[    1.000000] end\n";
  const auto lines = read(text, 4096);
  ASSERT_GE(lines.size(), 2U);
  EXPECT_LE(lines[0].message.size(), 64U * 1024);
  EXPECT_EQ(lines.back().message, "end");
}

TEST(LogText, ATailOfNulIsTold) {
  LogTextReader reader(2026, {[](const LogEntry&) {}, [](std::string_view) {}});
  reader.feed("[    1.000000] a\n" + std::string(500, '\0'));
  reader.finish();
  EXPECT_TRUE(reader.ends_in_nul());
}

}  // namespace
}  // namespace antifreeze::readings
