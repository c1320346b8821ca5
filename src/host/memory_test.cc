#include "host/memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "host/dir.h"
#include "host/fake/scripted_memory.h"
#include "host/fake/temp_dir.h"

namespace antifreeze::host {
namespace {

std::string meminfo(int free_kib) {
  return "MemTotal:       1000 kB\nMemFree:        " + std::to_string(free_kib) + " kB\nMemAvailable:    900 kB\n";
}

TEST(MeminfoSource, ReadsTheKernelAgainAndAgain) {
  const auto source = MeminfoSource::open("/proc/meminfo", MemoryKind::kUnified);
  ASSERT_TRUE(source);
  for (int i = 0; i < 3; ++i) {
    const auto reading = (*source)->read();
    ASSERT_TRUE(reading);
    EXPECT_GT(reading->total.value_or(0), reading->available.value_or(0));
    EXPECT_TRUE(reading->free);
  }
}

TEST(MeminfoSource, FollowsAFileThatIsReplaced) {
  const fake::TempDir dir;
  dir.write("meminfo", meminfo(700));
  const auto source = MeminfoSource::open(dir.path("meminfo"), MemoryKind::kUnified);
  ASSERT_TRUE(source);
  EXPECT_EQ(*(*source)->read(), (MemoryReading{1000 * 1024, 700 * 1024, 900 * 1024}));
  ASSERT_TRUE(write_file_atomic(dir.fd(), "meminfo", meminfo(300), 0644, false));
  EXPECT_EQ((*source)->read()->free, 300u * 1024);
  ASSERT_EQ(::unlinkat(dir.fd(), "meminfo", 0), 0);
  EXPECT_EQ((*source)->read().error().code(), core::ErrorCode::kNotFound);
}

TEST(MeminfoSource, RefusesWhatIsNoMeminfo) {
  const fake::TempDir dir;
  dir.write("empty", "");
  dir.write("other", "Cached: 5 kB\n");
  ASSERT_EQ(::mkfifo(dir.path("fifo").c_str(), 0600), 0);
  for (const char* name : {"empty", "other", "fifo", "nothing"}) {
    EXPECT_FALSE(MeminfoSource::open(dir.path(name), MemoryKind::kUnified)) << name;
  }
}

TEST(MeminfoSource, LeavesAbsentWhatTheFileDoesNotSay) {
  const fake::TempDir dir;
  dir.write("meminfo", "MemFree: 5 kB\n");
  const auto source = MeminfoSource::open(dir.path("meminfo"), MemoryKind::kDiscrete);
  ASSERT_TRUE(source);
  EXPECT_EQ(*(*source)->read(), (MemoryReading{std::nullopt, 5 * 1024, std::nullopt}));
}

TEST(ScriptedMemory, RefusesUntilConfiguredThenRepeatsItsLast) {
  fake::ScriptedMemory memory;
  EXPECT_FALSE(memory.read());
  memory.then(100, 50, 60).then(100, 40, 50);
  EXPECT_EQ(memory.read()->free, 50u);
  EXPECT_EQ(memory.read()->free, 40u);
  EXPECT_EQ(memory.read()->free, 40u);
  EXPECT_EQ(memory.reads, 4);
}

}  // namespace
}  // namespace antifreeze::host
