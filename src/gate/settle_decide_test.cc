#include "gate/settle_decide.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace antifreeze::gate {
namespace {

using namespace std::chrono_literals;
using core::MonoTime;
using core::Nanos;

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kGiB = 1024 * kMiB;
constexpr MonoTime kStart{777'000'000'000};

using Memory = std::function<std::optional<std::uint64_t>(Nanos)>;

struct Run {
  SettleVerdict last;
  Nanos settled_after{0};
};

/// Feeds a sample each `every` until it settles. Memory free as a function of the time since the start.
Run watch(const SettlePolicy& policy, const Memory& free, const Memory& available, Nanos every = 100ms,
          std::optional<std::uint64_t> total = 100 * kGiB) {
  SettleWatch settle(policy, kStart, total);
  for (Nanos at = 0s; at <= 10min; at += every) {
    const auto verdict = settle.feed({kStart + at, free(at), available(at)});
    EXPECT_EQ(verdict.took, at);
    EXPECT_LE(verdict.earliest, verdict.latest);
    if (verdict.settled) return {verdict, at};
    EXPECT_EQ(verdict.reason, SettleReason::kMoving);
    EXPECT_GT(verdict.latest, kStart + at) << "due but not settled";
  }
  ADD_FAILURE() << "never settled";
  return {};
}

std::optional<std::uint64_t> steady(Nanos) { return 50 * kGiB; }
std::optional<std::uint64_t> nothing(Nanos) { return std::nullopt; }

TEST(Settle, StillMemorySettlesAtTheFloor) {
  const auto run = watch({}, steady, steady);
  EXPECT_EQ(run.settled_after, 3s);
  EXPECT_EQ(run.last.reason, SettleReason::kStable);
  EXPECT_EQ(run.last.text, "stable for 3s after 3s");
}

// engines.md 7.5 S10: memory still moves after health 200.
TEST(Settle, BumpAndDipAfterReadyDoNotSettleInBetween) {
  const Memory bump = [](Nanos at) { return 50 * kGiB - (at >= 500ms && at < 2s ? 256 * kMiB : 0); };
  for (const auto every : {10ms, 50ms, 100ms, 250ms, 500ms}) {
    for (const bool in_free : {true, false}) {
      const auto run = watch({}, in_free ? bump : steady, in_free ? steady : bump, every);
      EXPECT_EQ(run.last.reason, SettleReason::kStable);
      EXPECT_GE(run.settled_after, 5s - every) << "not three still seconds after the dip";
      EXPECT_LE(run.settled_after, 5s + 2 * every);
    }
  }
}

TEST(Settle, SteadyGrowthGoesToTheCap) {
  const Memory falling = [](Nanos at) { return 50 * kGiB - static_cast<std::uint64_t>(at / 1s) * 200 * kMiB; };
  const auto run = watch({}, falling, steady);
  EXPECT_EQ(run.settled_after, 30s);
  EXPECT_EQ(run.last.reason, SettleReason::kCap);
  EXPECT_TRUE(run.last.text.starts_with("still moving by ")) << run.last.text;
  EXPECT_TRUE(run.last.text.ends_with(" at the cap of 30s")) << run.last.text;
}

TEST(Settle, SettlesThreeSecondsAfterTheLastMove) {
  const Memory step = [](Nanos at) { return 50 * kGiB - (at >= 7s ? kGiB : 0); };
  // Settled before the move would be right only if it came after the floor: so let it move until then.
  const Memory ramp = [&](Nanos at) {
    return *step(at) - static_cast<std::uint64_t>(std::min<Nanos>(at, 7s) / 100ms) * 100 * kMiB;
  };
  const auto run = watch({}, ramp, steady);
  EXPECT_GE(run.settled_after, 10s - 100ms);
  EXPECT_LE(run.settled_after, 10s + 200ms);
}

TEST(Settle, FixedTimeIsKeptExactlyWhateverMemoryDoes) {
  SettlePolicy policy;
  policy.fixed = 12s;
  const auto run = watch(policy, steady, steady);
  EXPECT_EQ(run.settled_after, 12s);
  EXPECT_EQ(run.last.reason, SettleReason::kFixed);
  EXPECT_EQ(run.last.text, "fixed 12s");
}

TEST(Settle, WithoutReadingsTheCapIsTheFixedTime) {
  const auto run = watch({}, nothing, nothing);
  EXPECT_EQ(run.settled_after, 30s);
  EXPECT_EQ(run.last.reason, SettleReason::kFixed);
  EXPECT_EQ(run.last.text, "fixed 30s, memory cannot be read");
}

TEST(Settle, OneReadingOfTheTwoIsEnough) {
  EXPECT_EQ(watch({}, nothing, steady).settled_after, 3s);
  EXPECT_EQ(watch({}, steady, nothing).settled_after, 3s);
}

TEST(Settle, ReadingsThatVanishProveNothing) {
  const Memory vanishing = [](Nanos at) { return at < 2s ? steady(at) : std::nullopt; };
  const auto run = watch({}, vanishing, vanishing);
  EXPECT_EQ(run.settled_after, 30s);
  EXPECT_EQ(run.last.reason, SettleReason::kCap);
}

TEST(Settle, TimeThatWasNotLookedAtWasNotStable) {
  SettleWatch settle({}, kStart, std::nullopt);
  EXPECT_FALSE(settle.feed({kStart, kGiB, kGiB}).settled);
  EXPECT_FALSE(settle.feed({kStart + 5s, kGiB, kGiB}).settled) << "two looks five seconds apart";
  for (Nanos at = 5s; at < 8s; at += 500ms) EXPECT_FALSE(settle.feed({kStart + at, kGiB, kGiB}).settled);
  EXPECT_TRUE(settle.feed({kStart + 8s, kGiB, kGiB}).settled);
}

TEST(Settle, EarliestTellsWhenItCouldBeOver) {
  SettleWatch settle({}, kStart, 100 * kGiB);
  EXPECT_EQ(settle.feed({kStart, kGiB, kGiB}).earliest, kStart + 3s);
  EXPECT_EQ(settle.feed({kStart + 1s, kGiB, 2 * kGiB}).earliest, kStart + 4s);
}

TEST(Settle, ZeroFloorSettlesAtTheFirstLook) {
  SettlePolicy policy;
  policy.floor = 0s;
  EXPECT_EQ(watch(policy, steady, steady).settled_after, 0s);
}

TEST(Settle, FloorAboveTheCapIsTheCap) {
  SettlePolicy policy;
  policy.floor = 10s;
  policy.cap = 2s;
  EXPECT_EQ(watch(policy, steady, steady).settled_after, 2s);
}

TEST(Settle, ToleranceGrowsWithLargeMachines) {
  EXPECT_EQ(settle_tolerance(std::nullopt), 64 * kMiB);
  EXPECT_EQ(settle_tolerance(8 * kGiB), 64 * kMiB);
  EXPECT_EQ(settle_tolerance(500 * kGiB), kGiB);
}

TEST(Settle, ReclaimWaitsThreeSecondsAtLeastAndAMinuteAtMost) {
  EXPECT_EQ(watch(kReclaimPolicy, steady, steady).settled_after, 3s);
  const Memory tearing_down = [](Nanos at) { return static_cast<std::uint64_t>(at / 100ms) * 100 * kMiB; };
  EXPECT_EQ(watch(kReclaimPolicy, tearing_down, tearing_down).settled_after, 60s);
}

/// Against a plain definition: stable means that all samples of the last `floor` lie within the tolerance.
class SettleNoise : public testing::TestWithParam<unsigned> {};

TEST_P(SettleNoise, SettlesOnlyWhenThePlainDefinitionDoesToo) {
  std::mt19937_64 random(GetParam());
  SettlePolicy policy;
  policy.floor = std::chrono::milliseconds(random() % 5000);
  policy.cap = policy.floor + std::chrono::milliseconds(random() % 20'000);
  policy.tolerance = 100;
  SettleWatch settle(policy, kStart, std::nullopt);
  struct Seen {
    Nanos at;
    std::uint64_t free, available;
  };
  std::vector<Seen> seen;
  std::uint64_t free = 1'000'000, available = 2'000'000;
  for (Nanos at = 0s;; at += std::chrono::milliseconds(1 + random() % 300)) {
    if (random() % 8 == 0) free += random() % 160;
    if (random() % 8 == 0) available -= random() % 160;
    seen.push_back({at, free, available});
    const auto verdict = settle.feed({kStart + at, free, available});
    std::uint64_t free_low = free, free_high = free, available_low = available, available_high = available;
    for (const auto& sample : seen) {
      if (sample.at < at - policy.floor) continue;
      free_low = std::min(free_low, sample.free);
      free_high = std::max(free_high, sample.free);
      available_low = std::min(available_low, sample.available);
      available_high = std::max(available_high, sample.available);
    }
    const bool still = free_high - free_low <= 100 && available_high - available_low <= 100;
    if (at >= policy.cap) {
      ASSERT_TRUE(verdict.settled);
      return;
    }
    if (verdict.settled) {
      ASSERT_TRUE(still);
      ASSERT_GE(at, policy.floor);
      return;
    }
    ASSERT_LT(seen.size(), 100'000u);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SettleNoise, testing::Range(0u, 200u));

}  // namespace
}  // namespace antifreeze::gate
