#include "host/ofd_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "core/fd.h"
#include "host/fake/temp_dir.h"

namespace antifreeze::host {
namespace {

using core::Fd;

class OfdLock : public ::testing::Test {
 protected:
  OfdLock() { dir_.write("ticket", "W"); }
  Fd open(int flags) const { return Fd(::open(dir_.path("ticket").c_str(), flags | O_CLOEXEC)); }
  fake::TempDir dir_;
};

TEST_F(OfdLock, ExcludesASecondDescriptionInTheSameProcess) {
  const Fd mine = open(O_RDWR);
  const Fd other = open(O_RDWR);
  EXPECT_TRUE(*try_lock(mine.get(), LockKind::kWrite));
  EXPECT_FALSE(*try_lock(other.get(), LockKind::kWrite));
  EXPECT_FALSE(*try_lock(other.get(), LockKind::kRead));
}

TEST_F(OfdLock, QueryTakesNothingAndWorksReadOnly) {
  const Fd mine = open(O_RDWR);
  const Fd asker = open(O_RDONLY);
  EXPECT_FALSE(*is_locked_against(asker.get(), LockKind::kRead));
  ASSERT_TRUE(*try_lock(mine.get(), LockKind::kWrite));
  EXPECT_TRUE(*is_locked_against(asker.get(), LockKind::kRead));
  EXPECT_FALSE(*is_locked_against(mine.get(), LockKind::kRead)) << "one's own lock does not count";
  ASSERT_TRUE(unlock(mine.get()));
  EXPECT_FALSE(*is_locked_against(asker.get(), LockKind::kWrite));
  EXPECT_TRUE(*try_lock(mine.get(), LockKind::kWrite)) << "the query had left a lock behind";
}

TEST_F(OfdLock, ReadOnlyDescriptorCannotTakeTheWriteLock) {
  const Fd reader = open(O_RDONLY);
  const auto taken = try_lock(reader.get(), LockKind::kWrite);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().sys_errno(), EBADF);
}

TEST_F(OfdLock, UnlockFreesItThoughACopyOfTheDescriptorLeaked) {
  Fd mine = open(O_RDWR);
  const Fd other = open(O_RDWR);
  ASSERT_TRUE(*try_lock(mine.get(), LockKind::kWrite));
  const Fd leaked(::dup(mine.get()));
  EXPECT_TRUE(unlock(mine.get()));
  mine.reset();
  EXPECT_TRUE(*try_lock(other.get(), LockKind::kWrite));
}

TEST_F(OfdLock, LivesAsLongAsTheLastCopyOfTheDescriptor) {
  Fd mine = open(O_RDWR);
  const Fd other = open(O_RDWR);
  ASSERT_TRUE(*try_lock(mine.get(), LockKind::kWrite));
  Fd copy(::dup(mine.get()));
  mine.reset();
  EXPECT_FALSE(*try_lock(other.get(), LockKind::kRead));
  copy.reset();
  EXPECT_TRUE(*try_lock(other.get(), LockKind::kRead));
}

TEST_F(OfdLock, WaiterWakesWhenTheHolderIsKilled) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t holder = ::fork();
  ASSERT_GE(holder, 0);
  if (holder == 0) {
    const Fd fd = open(O_RDWR);
    const auto taken = try_lock(fd.get(), LockKind::kWrite);
    if (!taken || !*taken || ::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const Fd waiter = open(O_RDONLY);
  ASSERT_TRUE(*is_locked_against(waiter.get(), LockKind::kRead));
  const pid_t killer = ::fork();
  ASSERT_GE(killer, 0);
  if (killer == 0) {
    ::kill(holder, SIGKILL);
    ::_exit(0);
  }
  const auto got = wait_lock(waiter.get(), LockKind::kRead);
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, LockWait::kLocked);
  int status = 0;
  EXPECT_EQ(::waitpid(holder, &status, 0), holder);
  EXPECT_EQ(::waitpid(killer, nullptr, 0), killer);
  EXPECT_TRUE(WIFSIGNALED(status));
  ::close(ready[0]);
  ::close(ready[1]);
}

volatile sig_atomic_t alarms = 0;
void count_alarm(int) { alarms = alarms + 1; }

TEST_F(OfdLock, WaiterReturnsOnASignalWithoutTheLock) {
  const Fd mine = open(O_RDWR);
  const Fd waiter = open(O_RDONLY);
  ASSERT_TRUE(*try_lock(mine.get(), LockKind::kWrite));
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = count_alarm;  // no SA_RESTART
  ASSERT_EQ(::sigaction(SIGALRM, &action, &before), 0);
  // An interval, so that a tick before the call falls asleep cannot be the only one.
  itimerval timer{};
  timer.it_value.tv_usec = timer.it_interval.tv_usec = 5000;
  ASSERT_EQ(::setitimer(ITIMER_REAL, &timer, nullptr), 0);
  const auto got = wait_lock(waiter.get(), LockKind::kRead);
  timer = {};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, LockWait::kInterrupted);
  EXPECT_GE(alarms, 1);
  ASSERT_TRUE(unlock(mine.get()));
  EXPECT_TRUE(*try_lock(mine.get(), LockKind::kWrite)) << "the interrupted wait had left a lock behind";
}

TEST_F(OfdLock, ReportsWhatCannotBeLocked) {
  const auto closed = try_lock(-1, LockKind::kRead);
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().sys_errno(), EBADF);
}

}  // namespace
}  // namespace antifreeze::host
