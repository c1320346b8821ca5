#include "gate/breaker_decide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "gate/breaker_file.h"

namespace antifreeze::gate {
namespace {

using namespace std::chrono_literals;
using core::BootTime;
using core::Nanos;

constexpr std::uint64_t kMiB = 1024 * 1024;

/// Time passes on both clocks; a boot starts BOOTTIME again.
struct World {
  BootTime boottime = BootTime{} + 20s;
  core::WallTime wall{1'772'366'400'000'000'000};
  std::string boot_id = "boot-1";

  [[nodiscard]] BreakerNow now() const { return {boottime, wall, boot_id}; }
  void pass(Nanos by) {
    boottime = boottime + by;
    wall = wall + by;
  }
  void reboot(Nanos off_for, std::string id) {
    wall = wall + off_for + 20s;
    boottime = BootTime{} + 20s;
    boot_id = std::move(id);
  }
};

/// One start that lives `life` and ends unasked.
BreakerOutcome fail_after(BreakerRecord& record, World& world, const BreakerPolicy& policy, Nanos life,
                          std::optional<std::uint64_t> available = std::nullopt) {
  after_start(record, world.now(), available);
  world.pass(life);
  return after_failure(record, world.now(), policy, "exit 1");
}

TEST(Breaker, FirstStartGoesAtOnce) {
  BreakerRecord record;
  World world;
  EXPECT_EQ(before_start(record, world.now(), {}).answer, BreakerAnswer::kGo);
}

TEST(Breaker, SaysOfTheNextStartWhatReallyHappens) {
  BreakerRecord record;
  World world;
  BreakerPolicy policy;
  policy.max_failures = 3;
  const auto said = [&] {
    const auto outcome = fail_after(record, world, policy, 1s);
    return next_start_text(outcome.next, record.failures_in_a_row, world.boottime);
  };
  EXPECT_EQ(said(), "the next start waits 10s (1 failed start)");
  EXPECT_EQ(said(), "the next start waits 20s (2 failed starts in a row)");
  EXPECT_EQ(said(), "the next start is held: 3 failed starts in 30m, the last: exit 1");
  policy.first_delay = 0s;
  policy.max_failures = 0;
  record = {};
  EXPECT_EQ(said(), "the next start may come at once");
}

TEST(Breaker, OneFailedStartIsSingular) {
  BreakerRecord record;
  World world;
  BreakerPolicy policy;
  policy.max_failures = 1;
  const auto outcome = fail_after(record, world, policy, 1s);
  EXPECT_EQ(outcome.next.reason, "1 failed start in 30m, the last: exit 1");
}

TEST(Breaker, DelayDoublesFromTenSecondsToFiveMinutes) {
  const BreakerPolicy policy;
  EXPECT_EQ(back_off_delay(0, policy), 0s);
  const Nanos expected[] = {10s, 20s, 40s, 80s, 160s, 300s, 300s};
  for (std::size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(back_off_delay(i + 1, policy), expected[i]);
  EXPECT_EQ(back_off_delay(~std::uint64_t{0}, policy), 300s);
}

TEST(Breaker, DelayCopesWithExtremePolicies) {
  BreakerPolicy policy;
  policy.delay_cap = Nanos::max();
  policy.first_delay = Nanos::max() - Nanos(1);
  EXPECT_EQ(back_off_delay(1000, policy), Nanos::max());
  policy.first_delay = 0s;
  EXPECT_EQ(back_off_delay(1000, policy), 0s);
  policy.first_delay = 10min;
  policy.delay_cap = 1min;
  EXPECT_EQ(back_off_delay(1, policy), 1min);
}

TEST(Breaker, BacksOffFromTheMomentOfTheFailure) {
  BreakerRecord record;
  World world;
  fail_after(record, world, {}, 40s);
  const BootTime failed = world.boottime;
  world.pass(4s);
  const auto verdict = before_start(record, world.now(), {});
  EXPECT_EQ(verdict.answer, BreakerAnswer::kBackOff);
  EXPECT_EQ(verdict.until, failed + 10s);
  EXPECT_EQ(verdict.reason, "failed 1 time, waiting 10s");
  world.pass(6s);
  EXPECT_EQ(before_start(record, world.now(), {}).answer, BreakerAnswer::kGo);
}

// behaviours.md S13: a child that exits after 40 s each time never trips Docker's own limit.
TEST(Breaker, ServiceThatExitsAfterFortySecondsIsHeldAfterFiveFailures) {
  BreakerRecord record;
  World world;
  for (int attempt = 1; attempt <= 5; ++attempt) {
    const auto verdict = before_start(record, world.now(), {});
    if (verdict.answer == BreakerAnswer::kBackOff) world.pass(*verdict.until - world.boottime);
    ASSERT_EQ(before_start(record, world.now(), {}).answer, BreakerAnswer::kGo) << attempt;
    after_start(record, world.now(), std::nullopt);
    world.pass(20s);
    after_ready(record, world.now());
    world.pass(20s);
    const auto outcome = after_failure(record, world.now(), {}, "exit 0 after 40s");
    EXPECT_TRUE(outcome.counted);
    EXPECT_EQ(outcome.next.answer, attempt == 5 ? BreakerAnswer::kHeld : BreakerAnswer::kBackOff) << attempt;
  }
  world.pass(24h);
  const auto held = before_start(record, world.now(), {});
  EXPECT_EQ(held.answer, BreakerAnswer::kHeld);
  EXPECT_FALSE(held.until);
  EXPECT_EQ(held.since, world.boottime - 24h);
  EXPECT_EQ(held.reason, "5 failed starts in 30m, the last: exit 0 after 40s");
  EXPECT_EQ(record.starts_total, 5u);

  reset(record, world.now());
  EXPECT_EQ(before_start(record, world.now(), {}).answer, BreakerAnswer::kGo);
  EXPECT_EQ(record.failures_total, 5u) << "a reset keeps the totals";
}

TEST(Breaker, FailuresFarApartAreNotHeldButStillDelayed) {
  BreakerRecord record;
  World world;
  for (int i = 0; i < 20; ++i) {
    const auto outcome = fail_after(record, world, {}, 9min);
    EXPECT_EQ(outcome.next.answer, BreakerAnswer::kBackOff);
  }
  EXPECT_EQ(record.failures.size(), kMaxFailuresKept);
  EXPECT_EQ(record.failures_in_a_row, 20u);
}

TEST(Breaker, TenHealthyMinutesForgetTheFailures) {
  BreakerRecord record;
  World world;
  for (int i = 0; i < 4; ++i) fail_after(record, world, {}, 1s);
  after_start(record, world.now(), std::nullopt);
  after_ready(record, world.now());
  world.pass(10min);
  after_healthy(record, world.now());
  world.pass(1s);
  const auto outcome = after_failure(record, world.now(), {}, "exit 1");
  EXPECT_FALSE(outcome.counted);
  EXPECT_EQ(outcome.next.answer, BreakerAnswer::kGo);
  EXPECT_TRUE(record.failures.empty());
}

TEST(Breaker, HealthCountsFromReadyNotFromStart) {
  BreakerRecord record;
  World world;
  after_start(record, world.now(), std::nullopt);
  world.pass(9min);
  after_ready(record, world.now());
  world.pass(10min - 1ns);
  EXPECT_TRUE(after_failure(record, world.now(), {}, "exit 1").counted);
  after_start(record, world.now(), std::nullopt);
  after_ready(record, world.now());
  world.pass(10min);
  EXPECT_FALSE(after_failure(record, world.now(), {}, "exit 1").counted) << "nobody called after_healthy";
}

TEST(Breaker, BeingAskedToStopIsNeitherFailureNorSuccess) {
  BreakerRecord record;
  World world;
  fail_after(record, world, {}, 1s);
  world.pass(10s);
  after_start(record, world.now(), std::nullopt);
  after_asked_to_stop(record, world.now());
  EXPECT_FALSE(record.open);
  EXPECT_EQ(record.failures_in_a_row, 1u);
}

TEST(Breaker, FinishedJobForgetsTheFailures) {
  BreakerRecord record;
  World world;
  fail_after(record, world, {}, 1s);
  after_start(record, world.now(), std::nullopt);
  after_finished(record, world.now());
  EXPECT_EQ(before_start(record, world.now(), {}).answer, BreakerAnswer::kGo);
}

TEST(Breaker, HoldForASetTimeEndsByItselfAndCountsAnew) {
  BreakerPolicy policy;
  policy.held_for = 1h;
  BreakerRecord record;
  World world;
  for (int i = 0; i < 5; ++i) fail_after(record, world, policy, 1s);
  const auto held = before_start(record, world.now(), policy);
  EXPECT_EQ(held.answer, BreakerAnswer::kHeld);
  EXPECT_EQ(held.until, world.boottime + 1h);
  world.pass(1h);
  EXPECT_EQ(before_start(record, world.now(), policy).answer, BreakerAnswer::kGo);
  EXPECT_EQ(fail_after(record, world, policy, 1s).next.answer, BreakerAnswer::kBackOff);
}

TEST(Breaker, NoHoldWhenTurnedOff) {
  BreakerPolicy policy;
  policy.max_failures = 0;
  BreakerRecord record;
  World world;
  for (int i = 0; i < 40; ++i) EXPECT_EQ(fail_after(record, world, policy, 1s).next.answer, BreakerAnswer::kBackOff);
}

TEST(Breaker, HoldForMemoryKeepsItsNumbers) {
  BreakerRecord record;
  World world;
  hold(record, world.now(), {}, "needs 40 GiB, 31.2 GiB available");
  EXPECT_EQ(before_start(record, world.now(), {}).reason, "needs 40 GiB, 31.2 GiB available");
}

TEST(Breaker, KillOfEverythingIsForgivenTwiceInARow) {
  BreakerRecord record;
  World world;
  for (int i = 1; i <= 4; ++i) {
    after_start(record, world.now(), std::nullopt);
    world.pass(5s);  // front, keeper and engine are killed with -9
    const auto verdict = before_start(record, world.now(), {});
    EXPECT_EQ(verdict.answer, i <= 2 ? BreakerAnswer::kGo : BreakerAnswer::kBackOff) << i;
  }
  EXPECT_EQ(record.failures_total, 2u);
}

TEST(Breaker, KillOfAReadyServerIsNoFailureHoweverOften) {
  BreakerRecord record;
  World world;
  for (int i = 0; i < 20; ++i) {
    after_start(record, world.now(), std::nullopt);
    after_ready(record, world.now());
    world.pass(5s);
    EXPECT_EQ(before_start(record, world.now(), {}).answer, BreakerAnswer::kGo);
  }
}

TEST(Breaker, BackOffGoesOnAcrossAReboot) {
  BreakerRecord record;
  World world;
  world.pass(50h);
  for (int i = 0; i < 4; ++i) fail_after(record, world, {}, 1s);  // 80 s to wait
  world.reboot(30s, "boot-2");                                    // 50 s are over
  const auto verdict = before_start(record, world.now(), {});
  EXPECT_EQ(verdict.answer, BreakerAnswer::kBackOff);
  EXPECT_EQ(verdict.until, world.boottime + 30s);
}

TEST(Breaker, HoldOutlivesAReboot) {
  BreakerRecord record;
  World world;
  for (int i = 0; i < 5; ++i) fail_after(record, world, {}, 1s);
  const auto held_at = world.wall;
  world.reboot(1h, "boot-2");
  const auto verdict = before_start(record, world.now(), {});
  EXPECT_EQ(verdict.answer, BreakerAnswer::kHeld);
  EXPECT_EQ(world.boottime - *verdict.since, world.wall - held_at);
}

TEST(Breaker, StartThatTheRebootInterruptedIsNobodysFailure) {
  BreakerRecord record;
  World world;
  for (int i = 0; i < 10; ++i) {
    after_start(record, world.now(), 100 * kMiB);
    world.reboot(10s, "boot-" + std::to_string(i + 2));
    EXPECT_EQ(before_start(record, world.now(), {}).answer, BreakerAnswer::kGo);
  }
  EXPECT_EQ(record.failures_total, 0u);
  EXPECT_TRUE(record.memory_before.empty()) << "another boot's memory says nothing";
}

TEST(Breaker, WallClockSetBackOrUnknownMakesAFailureAsOldAsThisBoot) {
  for (const std::int64_t wall : {std::int64_t{0}, std::int64_t{1'000'000'000}}) {
    BreakerRecord record;
    World world;
    for (int i = 0; i < 6 && !record.hold; ++i) fail_after(record, world, {}, 1s);
    world.reboot(10h, "boot-2");
    world.wall.ns = wall;
    rebase(record, world.now());
    for (const auto& failure : record.failures) EXPECT_EQ(failure.boottime, BootTime{});
  }
}

TEST(Breaker, StampsFromTheFutureCountAsNow) {
  BreakerRecord record;
  World world;
  record.boot_id = world.boot_id;
  record.failures = {{world.boottime + 1000h, world.wall}};
  record.failures_in_a_row = 1;
  EXPECT_EQ(before_start(record, world.now(), {}).until, world.boottime + 10s);
}

TEST(BreakerMemory, SteadyLossIsReportedPerAttemptAndInTotal) {
  BreakerRecord record;
  World world;
  std::uint64_t available = 100'000 * kMiB;
  for (int i = 0; i < 4; ++i) {
    fail_after(record, world, {}, 1s, available);
    available -= 1536 * kMiB;
  }
  after_start(record, world.now(), available);
  const auto loss = memory_loss(record);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->per_attempt, 1536 * kMiB);
  EXPECT_EQ(loss->total, 4 * 1536 * kMiB);
  EXPECT_EQ(memory_loss_text(*loss),
            "memory available before each start fell by 1.5 GiB per attempt, 6 GiB over 4 attempts");
}

TEST(BreakerMemory, OneNeighboursStartIsNotALoss) {
  BreakerRecord record;
  record.memory_before = {100'000 * kMiB, 100'000 * kMiB, 60'000 * kMiB, 60'000 * kMiB};
  EXPECT_FALSE(memory_loss(record));
}

TEST(BreakerMemory, NothingBelowTheFloorNorWithOneReading) {
  BreakerRecord record;
  EXPECT_FALSE(memory_loss(record));
  record.memory_before = {1000 * kMiB};
  EXPECT_FALSE(memory_loss(record));
  record.memory_before = {1000 * kMiB, 936 * kMiB};
  EXPECT_FALSE(memory_loss(record)) << "exactly 64 MiB";
  record.memory_before = {1000 * kMiB, 935 * kMiB};
  EXPECT_TRUE(memory_loss(record));
  record.memory_before = {935 * kMiB, 1000 * kMiB};
  EXPECT_FALSE(memory_loss(record)) << "a gain";
}

/// The rules once more, written down independently: random lives of a service over several boots.
class BreakerLives : public testing::TestWithParam<unsigned> {};

TEST_P(BreakerLives, KeepTheRules) {
  std::mt19937_64 random(GetParam());
  const auto up_to = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  BreakerPolicy policy;
  policy.max_failures = 1 + static_cast<int>(up_to(16));
  policy.failure_window = std::chrono::minutes(1 + up_to(120));
  BreakerRecord record;
  record.service = "svc";
  World world;
  std::deque<core::WallTime> failed;  // since the last healthy run
  bool held = false;
  int boots = 1;
  for (int step = 0; step < 300; ++step) {
    // Whatever happens is written and read back in between, as by one process after the other.
    const auto copy = decode_breaker(encode_breaker(record));
    ASSERT_TRUE(copy);
    ASSERT_EQ(*copy, record);
    if (up_to(20) == 0) world.reboot(std::chrono::seconds(up_to(7200)), "boot-" + std::to_string(++boots));
    const auto verdict = before_start(record, world.now(), policy);
    ASSERT_EQ(verdict.answer == BreakerAnswer::kHeld, held);
    if (held) {
      reset(record, world.now());
      failed.clear();
      held = false;
      continue;
    }
    const Nanos delay = failed.empty() ? Nanos(0) : back_off_delay(failed.size(), policy);
    const Nanos left = failed.empty() ? Nanos(0) : std::max<Nanos>(0s, failed.back() + delay - world.wall);
    ASSERT_EQ(verdict.answer == BreakerAnswer::kBackOff, left > 0s);
    if (left > 0s) {
      ASSERT_EQ(*verdict.until - world.boottime, left);
      world.pass(left);
    }
    after_start(record, world.now(), std::nullopt);
    const bool ready = up_to(2) == 0;
    if (ready) after_ready(record, world.now());
    const Nanos life = std::chrono::seconds(up_to(ready && up_to(4) == 0 ? 1200 : 120));
    world.pass(life);
    const bool was_healthy = ready && life >= policy.healthy_after;
    const auto outcome = after_failure(record, world.now(), policy, "exit 1");
    ASSERT_EQ(outcome.counted, !was_healthy);
    if (was_healthy) {
      failed.clear();
      continue;
    }
    failed.push_back(world.wall);
    const auto recent =
        std::ranges::count_if(failed, [&](auto at) { return world.wall - at <= policy.failure_window; });
    held = recent >= policy.max_failures;
    ASSERT_LE(record.failures.size(), kMaxFailuresKept);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BreakerLives, testing::Range(0u, 50u));

}  // namespace
}  // namespace antifreeze::gate
