#include "host/pid_census.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "host/fake/temp_dir.h"

namespace antifreeze::host {
namespace {

constexpr std::uint64_t kMachine = 0xEFFFFFFC;
constexpr std::uint64_t kContainer = 4026532000;

/// A /proc in which we are process 1 of `own` namespace.
class PidCensusTest : public testing::Test {
 protected:
  void SetUp() override { be(kMachine); }

  void be(std::uint64_t own) {
    std::filesystem::remove_all(proc_.path() + "/self");
    link("self", own);
  }
  void link(const std::string& pid, std::uint64_t name_space) {
    std::filesystem::create_directories(proc_.path() + "/" + pid + "/ns");
    std::filesystem::create_symlink("pid:[" + std::to_string(name_space) + "]", proc_.path() + "/" + pid + "/ns/pid");
  }
  void process(const std::string& pid, const std::string& pids_inside, std::uint64_t started_ticks = 100,
               char state = 'S') {
    proc_.write(pid + "/stat", pid + " (antifreeze-run) " + std::string(1, state) +
                                   " 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 " + std::to_string(started_ticks) +
                                   " 4096 100 0\n");
    proc_.write(pid + "/status", "Name:\tantifreeze-run\nNSpid:\t" + pid + pids_inside + "\nNSsid:\t1\n");
  }
  Life life(std::int64_t pid, std::optional<std::uint64_t> name_space = kContainer, std::int64_t seen_s = 10) {
    const auto census = PidCensus::take(proc_.path());
    EXPECT_TRUE(census);
    return census->of({pid, name_space, {seen_s * 1'000'000'000}});
  }

  fake::TempDir proc_;
};

TEST_F(PidCensusTest, FindsAProcessOfAContainerByItsPidInside) {
  process("1", "");
  process("4242", "\t7");
  EXPECT_EQ(life(7), Life::kAlive);
  EXPECT_EQ(life(4242), Life::kGone) << "that is its pid out here";
  EXPECT_EQ(life(8), Life::kGone);
}

TEST_F(PidCensusTest, APidOfAnotherContainerIsAnother) {
  process("1", "");
  process("4242", "\t7");
  link("4242", kContainer + 1);
  EXPECT_EQ(life(7), Life::kGone);
  EXPECT_EQ(life(7, kContainer + 1), Life::kAlive);
  EXPECT_EQ(life(7, std::nullopt), Life::kAlive) << "it did not say in which one";
}

TEST_F(PidCensusTest, APidThatWasGivenToANewProcessIsGone) {
  process("1", "");
  process("7", "", 2000);
  EXPECT_EQ(life(7, kMachine, 10), Life::kGone);
  EXPECT_EQ(life(7, kMachine, 20), Life::kAlive);
}

TEST_F(PidCensusTest, AZombieIsGone) {
  process("1", "");
  process("7", "", 100, 'Z');
  EXPECT_EQ(life(7, kMachine), Life::kGone);
}

TEST_F(PidCensusTest, WhatCannotBeSeenFromHereIsUnknown) {
  process("1", "");
  be(kContainer);
  EXPECT_EQ(life(7, kContainer), Life::kGone) << "our own container";
  EXPECT_EQ(life(7, kContainer + 1), Life::kUnknown);
  EXPECT_EQ(life(7, std::nullopt), Life::kUnknown);
}

TEST_F(PidCensusTest, AProcThatHidesOthersProvesNothing) { EXPECT_EQ(life(7, kMachine), Life::kUnknown); }

TEST(PidCensus, KnowsThisProcess) {
  const auto census = PidCensus::take();
  ASSERT_TRUE(census);
  EXPECT_EQ(census->of({::getpid(), std::nullopt, {INT64_MAX / 2}}), Life::kAlive);
}

}  // namespace
}  // namespace antifreeze::host
