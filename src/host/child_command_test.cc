#include "host/child_command.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/daemon_process.h"
#include "host/fake/temp_dir.h"

namespace antifreeze::host {
namespace {

TEST(ChildCommand, GivesCodeAndOutput) {
  const auto done = run_command({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, std::chrono::seconds(20));
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->code, 3);
  EXPECT_EQ(done->output, "out\nerr\n");
}

TEST(ChildCommand, BoundsTimeAndOutput) {
  const auto late = run_command({"/bin/sh", "-c", "exec sleep 100"}, std::chrono::milliseconds(50));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), core::ErrorCode::kTimeout);
  const auto long_one = run_command({"/bin/sh", "-c", "head -c 300000 /dev/zero"}, std::chrono::seconds(20));
  ASSERT_TRUE(long_one);
  EXPECT_EQ(long_one->output.size(), 65536U);
}

TEST(ChildCommand, SaysWhatCannotBeStarted) {
  const auto none = run_command({"/no/such/program"}, std::chrono::seconds(5));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), core::ErrorCode::kNotFound);
}

TEST(DaemonProcess, IsFoundByPidfileAndName) {
  const fake::TempDir dir;
  dir.write("pid", std::to_string(::getpid()) + "\n");
  EXPECT_FALSE(find_daemon(dir.path("pid"), "dockerd"));
  EXPECT_FALSE(find_daemon(dir.path("none"), "dockerd"));
  dir.write("garbage", "-1 x");
  EXPECT_FALSE(find_daemon(dir.path("garbage"), "dockerd"));
  const auto self = find_daemon(dir.path("pid"), "host_tests");
  if (self) {  // under an emulator the name is the emulator's
    EXPECT_EQ(self->pid, ::getpid());
    EXPECT_FALSE(self->argv.empty());
  }
}

}  // namespace
}  // namespace antifreeze::host
