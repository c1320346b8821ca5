#include "host/lock_owners.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "core/fd.h"
#include "host/fake/temp_dir.h"
#include "host/ofd_lock.h"

namespace antifreeze::host {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class LockOwners : public testing::Test {
 protected:
  core::Fd open_file(const char* name) {
    dir_.write(name, "");
    return core::Fd(::open(dir_.path(name).c_str(), O_RDWR | O_CLOEXEC));
  }
  /// A line as the kernel writes it.
  static std::string lock_line(int fd, const char* mode) {
    struct stat info{};
    EXPECT_EQ(::fstat(fd, &info), 0);
    std::array<char, 128> line{};
    std::snprintf(line.data(), line.size(), "lock:\t1: OFDLCK ADVISORY  %s -1 %02x:%02x:%ju 0 EOF\n", mode,
                  gnu_dev_major(info.st_dev), gnu_dev_minor(info.st_dev), static_cast<std::uintmax_t>(info.st_ino));
    return line.data();
  }
  fake::TempDir dir_;
};

TEST_F(LockOwners, NamesEachProcessThatHoldsTheWriteLock) {
  const auto a = open_file("a");
  const auto b = open_file("b");
  dir_.write("proc/12/fdinfo/3", "pos:\t0\nflags:\t02\n" + lock_line(a.get(), "WRITE"));
  dir_.write("proc/7/fdinfo/9", lock_line(a.get(), "WRITE"));
  dir_.write("proc/7/fdinfo/10", lock_line(a.get(), "WRITE"));
  dir_.write("proc/self/fdinfo/3", lock_line(b.get(), "WRITE"));
  dir_.write("proc/13/fdinfo/1", "pos:\t0\n");
  const std::array fds{a.get(), b.get(), -1};
  EXPECT_THAT(write_lock_owners(fds, dir_.path("proc")), ElementsAre(ElementsAre(7, 12), IsEmpty(), IsEmpty()));
}

TEST_F(LockOwners, LeavesReadLocksOut) {
  const auto a = open_file("a");
  dir_.write("proc/12/fdinfo/3", lock_line(a.get(), "READ "));
  const std::array fds{a.get()};
  EXPECT_THAT(write_lock_owners(fds, dir_.path("proc")), ElementsAre(IsEmpty()));
}

TEST_F(LockOwners, SaysNothingWithoutProc) {
  const auto a = open_file("a");
  const std::array fds{a.get()};
  EXPECT_THAT(write_lock_owners(fds, dir_.path("nowhere")), ElementsAre(IsEmpty()));
}

TEST_F(LockOwners, FindsThisProcessInTheRealProc) {
  const auto a = open_file("a");
  const auto locked = try_lock(a.get(), LockKind::kWrite);
  ASSERT_TRUE(locked && *locked);
  const std::array fds{a.get()};
  EXPECT_THAT(write_lock_owners(fds), ElementsAre(Contains(::getpid())));
}

}  // namespace
}  // namespace antifreeze::host
