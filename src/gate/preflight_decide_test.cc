#include "gate/preflight_decide.h"

#include <gtest/gtest.h>

#include <cmath>

namespace antifreeze::gate {
namespace {

constexpr std::uint64_t kGiB = 1024ull * 1024 * 1024;

PreflightInput spark() {
  PreflightInput input;
  input.unified = true;
  input.share = 0.40;
  input.total = 100 * kGiB;
  input.available = static_cast<std::uint64_t>(31.2 * static_cast<double>(kGiB));
  return input;
}

TEST(Preflight, SaysTheNumbersWhenItDoesNotFit) {
  const auto verdict = preflight(spark());
  EXPECT_EQ(verdict.answer, PreflightAnswer::kShort);
  EXPECT_EQ(verdict.needed, 42 * kGiB);
  EXPECT_EQ(verdict.missing, verdict.needed - verdict.available);
  EXPECT_EQ(verdict.text, "needs 40 GiB (0.40 of 100 GiB) + reserve 2 GiB, 31.2 GiB available: short by 10.8 GiB");
}

TEST(Preflight, WhatIsMoreThanTheMachineHasCanNeverFit) {
  auto input = spark();
  input.share = 0.98;
  EXPECT_EQ(preflight(input).answer, PreflightAnswer::kShort) << "98 + 2 of 100: fits when everything is free";
  input.share = 0.99;
  const auto verdict = preflight(input);
  EXPECT_EQ(verdict.answer, PreflightAnswer::kNever);
  EXPECT_EQ(verdict.missing, 1 * kGiB);
  EXPECT_EQ(verdict.text,
            "needs 99 GiB (0.99 of 100 GiB) + reserve 2 GiB, which can never fit into the 100 GiB of this machine: too "
            "much by 1 GiB");
  input.bytes = 99 * kGiB;
  EXPECT_EQ(preflight(input).answer, PreflightAnswer::kNever);
}

TEST(Preflight, FitsExactlyAtTheLimit) {
  auto input = spark();
  input.available = 42 * kGiB;
  EXPECT_EQ(preflight(input).answer, PreflightAnswer::kFits);
  input.available = 42 * kGiB - 1;
  EXPECT_EQ(preflight(input).answer, PreflightAnswer::kShort);
}

TEST(Preflight, BytesGoBeforeTheShareAndNeedNoTotal) {
  auto input = spark();
  input.bytes = 6 * kGiB;
  input.total.reset();
  const auto verdict = preflight(input);
  EXPECT_EQ(verdict.answer, PreflightAnswer::kFits);
  EXPECT_EQ(verdict.text, "needs 6 GiB + reserve 2 GiB, 31.2 GiB available");
}

TEST(Preflight, FreeStandsInForAMissingAvailable) {
  auto input = spark();
  input.free = 90 * kGiB;
  EXPECT_EQ(preflight(input).answer, PreflightAnswer::kShort) << "MemAvailable is what the engine looks at";
  input.available.reset();
  EXPECT_EQ(preflight(input).answer, PreflightAnswer::kFits);
}

TEST(Preflight, UnknownIsNeverShort) {
  auto discrete = spark();
  discrete.unified = false;
  auto no_share = spark();
  no_share.share.reset();
  auto no_total = spark();
  no_total.total.reset();
  auto no_memory = spark();
  no_memory.available.reset();
  auto silly = spark();
  silly.share = 1.5;
  auto zero = spark();
  zero.share = 0.0;
  auto nan = spark();
  nan.share = std::nan("");
  for (const auto& input : {discrete, no_share, no_total, no_memory, silly, zero, nan}) {
    const auto verdict = preflight(input);
    EXPECT_EQ(verdict.answer, PreflightAnswer::kUnknown);
    EXPECT_FALSE(verdict.text.empty());
  }
}

TEST(Preflight, HugeReserveDoesNotWrapAround) {
  auto input = spark();
  input.reserve = ~std::uint64_t{0};
  EXPECT_EQ(preflight(input).answer, PreflightAnswer::kNever);
  input.share.reset();
  input.bytes = kGiB;
  input.total.reset();
  EXPECT_EQ(preflight(input).answer, PreflightAnswer::kShort) << "who knows how much there is";
}

TEST(Preflight, ReserveOfZeroIsNotMentioned) {
  auto input = spark();
  input.reserve = 0;
  input.share = 0.125;
  EXPECT_EQ(preflight(input).text, "needs 12.5 GiB (0.125 of 100 GiB), 31.2 GiB available");
}

}  // namespace
}  // namespace antifreeze::gate
