#include "gate/stall_decide.h"

#include <gtest/gtest.h>

#include <functional>

namespace antifreeze::gate {
namespace {

using namespace std::chrono_literals;
using core::MonoTime;
using core::Nanos;

constexpr MonoTime kStart{5'000'000'000};
constexpr std::uint64_t kMiB = 1024 * 1024;

/// Feeds one sample a second for `length`; returns when it first said stalled, since the start.
std::optional<Nanos> stalled_after(const StallPolicy& policy, Nanos length,
                                   const std::function<StallSample(double seconds)>& sample, Nanos every = 1s) {
  StallWatch watch(policy, kStart);
  for (Nanos at = 0s; at <= length; at += every) {
    auto now = sample(std::chrono::duration<double>(at).count());
    now.now = kStart + at;
    if (watch.feed(now).stalled) return at;
  }
  return std::nullopt;
}

TEST(Stall, NothingMovesIsStalledAfterTheTimeout) {
  EXPECT_EQ(stalled_after({}, 1h, [](double) { return StallSample{{}, 100, 100, 100 * kMiB}; }), 5min);
}

TEST(Stall, EachSignOfLifeAloneIsEnough) {
  const auto sum = [](double per_second, double seconds) { return static_cast<std::uint64_t>(per_second * seconds); };
  EXPECT_FALSE(stalled_after({}, 1h, [&](double s) { return StallSample{{}, sum(1.2, s), 0, 0}; })) << "1.2 % CPU";
  EXPECT_FALSE(stalled_after({}, 1h, [&](double s) { return StallSample{{}, 0, sum(120'000, s), 0}; })) << "I/O";
  EXPECT_FALSE(stalled_after({}, 1h, [&](double s) { return StallSample{{}, 0, 0, sum(500'000, s)}; })) << "RSS grows";
  EXPECT_FALSE(stalled_after({}, 1h, [&](double s) { return StallSample{{}, 0, 0, 8000 * kMiB - sum(500'000, s)}; }))
      << "RSS shrinks";
}

TEST(Stall, LittleOfEverythingIsNoProgress) {
  EXPECT_TRUE(stalled_after({}, 1h, [](double s) {
    return StallSample{{},
                       static_cast<std::uint64_t>(0.3 * s),
                       static_cast<std::uint64_t>(1000 * s),
                       100 * kMiB + static_cast<std::uint64_t>(1000 * s)};
  }));
}

TEST(Stall, CountsFromTheLastProgress) {
  StallWatch watch({}, kStart);
  StallVerdict verdict;
  for (int second = 0; second <= 100; ++second) {
    verdict = watch.feed({kStart + std::chrono::seconds(second), static_cast<std::uint64_t>(second * 50), {}, {}});
  }
  EXPECT_EQ(verdict.since, kStart + 100s);
  EXPECT_EQ(verdict.stall_at, kStart + 400s);
  EXPECT_FALSE(watch.feed({kStart + 399s, 5000, {}, {}}).stalled);
  EXPECT_TRUE(watch.feed({kStart + 400s, 5000, {}, {}}).stalled);
}

TEST(Stall, EndOfAChildProcessIsProgress) {
  EXPECT_FALSE(stalled_after(
      {}, 9min, [](double s) { return StallSample{{}, s < 250 ? 5000u : 3000u, std::nullopt, std::nullopt}; }));
}

TEST(Stall, TreeThatCannotBeReadNeverStalls) {
  EXPECT_FALSE(stalled_after({}, 1h, [](double) { return StallSample{}; }));
}

TEST(Stall, ReadingsThatComeLateStartTheWatch) {
  EXPECT_EQ(
      stalled_after({}, 1h,
                    [](double s) { return s < 100 ? StallSample{} : StallSample{{}, 5, std::nullopt, std::nullopt}; }),
      99s + 5min);
}

TEST(Stall, ShortTimeoutsLookMoreOften) {
  StallPolicy policy;
  policy.timeout = 1s;
  const auto hung = [](double) { return StallSample{{}, 7, 7, 7}; };
  EXPECT_EQ(stalled_after(policy, 10s, hung, 50ms), 1s);
  const auto busy = [](double s) { return StallSample{{}, static_cast<std::uint64_t>(s * 90), {}, {}}; };
  EXPECT_FALSE(stalled_after(policy, 10s, busy, 50ms));
}

TEST(Stall, ZeroTurnsItOff) {
  StallPolicy policy;
  policy.timeout = 0s;
  EXPECT_FALSE(stalled_after(policy, 1h, [](double) { return StallSample{{}, 1, 1, 1}; }));
}

TEST(Stall, ProgressByOtherMeansCounts) {
  StallWatch watch({}, kStart);
  (void)watch.feed({kStart, 1, 1, 1});
  watch.progress(kStart + 200s);
  EXPECT_FALSE(watch.feed({kStart + 499s, 1, 1, 1}).stalled);
  EXPECT_TRUE(watch.feed({kStart + 500s, 1, 1, 1}).stalled);
}

}  // namespace
}  // namespace antifreeze::gate
