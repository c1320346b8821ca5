#include "readings/proc_stat.h"

#include <gtest/gtest.h>

#include <string>

namespace antifreeze::readings {
namespace {

constexpr std::string_view kTail =
    " R 5468 5469 3147 0 -1 4194304 99 0 7 0 11 22 0 0 20 0 3 0 67222 3133440 380 18446744073709551615 1 2 3 0 0 0 0 "
    "0 0 0 0 0 17 1 0 0 0 0 0 1 2 3 4 5 6 7 0\n";

TEST(ProcStat, ReadsARealLine) {
  const auto stat = parse_proc_stat("5471 (cat)" + std::string(kTail));
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->pid, 5471);
  EXPECT_EQ(stat->comm, "cat");
  EXPECT_EQ(stat->state, 'R');
  EXPECT_EQ(stat->ppid, 5468);
  EXPECT_EQ(stat->pgrp, 5469);
  EXPECT_EQ(stat->session, 3147);
  EXPECT_EQ(stat->major_faults, 7U);
  EXPECT_EQ(stat->utime_ticks, 11U);
  EXPECT_EQ(stat->stime_ticks, 22U);
  EXPECT_EQ(stat->threads, 3U);
  EXPECT_EQ(stat->starttime_ticks, 67222U);
  EXPECT_EQ(stat->rss_pages, 380U);
}

TEST(ProcStat, TheNameMayHoldAnything) {
  for (const std::string name : {"VLLM::EngineCor", "a b", ") R 1 1 1 (", "((", "))", "", "x\ny", " "}) {
    const auto stat = parse_proc_stat("12 (" + name + ")" + std::string(kTail));
    ASSERT_TRUE(stat.has_value()) << name;
    EXPECT_EQ(stat->comm, name);
    EXPECT_EQ(stat->ppid, 5468);
  }
}

TEST(ProcStat, RefusesWhatIsTornOrForeign) {
  const std::string whole = "5471 (cat)" + std::string(kTail);
  const std::string up_to_starttime = whole.substr(0, whole.find(" 3133440"));
  for (const std::string& text :
       {std::string(), std::string("5471"), std::string("5471 (cat"), std::string("5471 cat) R 1"), std::string(")("),
        std::string("-1 (x)") + std::string(kTail), std::string("0 (x)") + std::string(kTail),
        std::string("y (x)") + std::string(kTail), std::string("5471 (cat) RR 1 1"), up_to_starttime}) {
    EXPECT_FALSE(parse_proc_stat(text).has_value()) << text;
  }
}

TEST(ProcStat, RefusesANumberThatIsNone) {
  std::string text = "5471 (cat)" + std::string(kTail);
  text.replace(text.find("67222"), 5, "6722x");
  EXPECT_FALSE(parse_proc_stat(text).has_value());
}

TEST(ProcIo, ReadsEveryCounter) {
  const ProcIo io = parse_proc_io(
      "rchar: 6976\nwchar: 12\nsyscr: 10\nsyscw: 0\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 1\n");
  EXPECT_EQ(io.rchar, 6976U);
  EXPECT_EQ(io.wchar, 12U);
  EXPECT_EQ(io.read_bytes, 4096U);
  EXPECT_EQ(io.write_bytes, 8192U);
}

TEST(ProcIo, WhatIsMissingIsAbsent) {
  const ProcIo io = parse_proc_io("rchar: x\nread_bytes: -1\nwrite_bytes\n");
  EXPECT_FALSE(io.rchar.has_value());
  EXPECT_FALSE(io.wchar.has_value());
  EXPECT_FALSE(io.read_bytes.has_value());
  EXPECT_FALSE(io.write_bytes.has_value());
}

TEST(InnermostPid, IsTheLastOfTheLine) {
  EXPECT_EQ(innermost_pid("Name:\tx\nNSpid:\t4242\t7\nNSpgid:\t4242\t1\n"), 7);
  EXPECT_EQ(innermost_pid("NSpid:\t4242\n"), 4242);
  EXPECT_EQ(innermost_pid("Name:\tx\nPid:\t4242\n"), std::nullopt) << "before Linux 4.1";
  EXPECT_EQ(innermost_pid("NSpid:\t\n"), std::nullopt);
  EXPECT_EQ(innermost_pid(""), std::nullopt);
}

}  // namespace
}  // namespace antifreeze::readings
