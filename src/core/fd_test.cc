#include "core/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace antifreeze::core {
namespace {

int open_null() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }
bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

TEST(Fd, ClosesAtTheEndOfItsScope) {
  int number = -1;
  {
    const Fd fd(open_null());
    number = fd.get();
    ASSERT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Fd, MovingLeavesTheOldOneEmpty) {
  Fd first(open_null());
  const int number = first.get();
  const Fd second(std::move(first));
  EXPECT_EQ(second.get(), number);
  EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move): what is promised about it is tested here
  EXPECT_TRUE(is_open(number));
}

TEST(Fd, MoveAssignmentClosesWhatItHeld) {
  Fd first(open_null());
  Fd second(open_null());
  const int lost = first.get();
  const int kept = second.get();
  first = std::move(second);
  EXPECT_EQ(first.get(), kept);
  EXPECT_FALSE(is_open(lost));
  EXPECT_TRUE(is_open(kept));
}

TEST(Fd, ReleasedIsNotClosed) {
  int number = -1;
  {
    Fd fd(open_null());
    number = fd.release();
    EXPECT_FALSE(fd.valid());
  }
  ASSERT_TRUE(is_open(number));
  const Fd closed_again(number);
}

TEST(Fd, ClosingKeepsErrnoForTheCaller) {
  Fd fd(open_null());
  errno = ENOSPC;
  fd.reset();
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_FALSE(fd.valid());
}

TEST(RetryEintr, RepeatsOnlyWhileInterrupted) {
  int calls = 0;
  const int result = retry_eintr([&] {
    if (++calls < 3) {
      errno = EINTR;
      return -1;
    }
    return 7;
  });
  EXPECT_EQ(result, 7);
  EXPECT_EQ(calls, 3);
}

TEST(RetryEintr, AnyOtherErrorIsReturnedAtOnce) {
  int calls = 0;
  const int result = retry_eintr([&] {
    ++calls;
    errno = EIO;
    return -1;
  });
  EXPECT_EQ(result, -1);
  EXPECT_EQ(errno, EIO);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace antifreeze::core
