#include "core/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

namespace antifreeze::core {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error(ErrorCode::kInvalid, "odd");
  return number / 2;
}

Status twice_halved(int number) {
  auto first = half(number);
  if (!first) return std::move(first).error().with_context("halving " + std::to_string(number));
  auto second = half(*first);
  if (!second) return std::move(second).error().with_context("halving again").with_context("outermost");
  return {};
}

TEST(Result, HoldsAValueOrAnError) {
  const auto good = half(8);
  ASSERT_TRUE(good.has_value());
  EXPECT_EQ(*good, 4);
  const auto bad = half(7);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), ErrorCode::kInvalid);
}

TEST(Result, ContextGrowsOutwardsInFront) {
  EXPECT_TRUE(twice_halved(4));
  EXPECT_EQ(twice_halved(3).error().message(), "halving 3: odd");
  EXPECT_EQ(twice_halved(6).error().message(), "outermost: halving again: odd");
}

TEST(Result, ContextKeepsCodeAndErrno) {
  const auto error = errno_error("open /x", EACCES).with_context("reading the registry");
  EXPECT_EQ(error.code(), ErrorCode::kPermission);
  EXPECT_EQ(error.sys_errno(), EACCES);
  EXPECT_EQ(error.message(), "reading the registry: open /x: Permission denied");
}

TEST(Result, MovesAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> boxed(std::make_unique<int>(5));
  const std::unique_ptr<int> taken = *std::move(boxed);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(*taken, 5);
}

TEST(ErrnoError, MapsEveryKindThatDecidesSomething) {
  EXPECT_EQ(errno_error("x", ENOENT).code(), ErrorCode::kNotFound);
  EXPECT_EQ(errno_error("x", ESRCH).code(), ErrorCode::kNotFound);
  EXPECT_EQ(errno_error("x", EPERM).code(), ErrorCode::kPermission);
  EXPECT_EQ(errno_error("x", EROFS).code(), ErrorCode::kPermission);
  EXPECT_EQ(errno_error("x", ENOSYS).code(), ErrorCode::kUnsupported);
  EXPECT_EQ(errno_error("x", ENOSPC).code(), ErrorCode::kFull);
  EXPECT_EQ(errno_error("x", EDQUOT).code(), ErrorCode::kFull);
  EXPECT_EQ(errno_error("x", ELOOP).code(), ErrorCode::kTampered);
  EXPECT_EQ(errno_error("x", ETIMEDOUT).code(), ErrorCode::kTimeout);
  EXPECT_EQ(errno_error("x", EINVAL).code(), ErrorCode::kInvalid);
  EXPECT_EQ(errno_error("x", EIO).code(), ErrorCode::kSystem);
}

TEST(ErrnoError, SaysSomethingAboutAnUnknownNumber) {
  EXPECT_EQ(errno_error("ioctl", 99999).message(), "ioctl: unknown error");
}

}  // namespace
}  // namespace antifreeze::core
