#include "readings/file_locks.h"

#include <gtest/gtest.h>

#include <string>

namespace antifreeze::readings {
namespace {

TEST(FileLocks, ReadsAnOfdLockFromFdinfo) {
  const auto locks = parse_fdinfo_locks(
      "pos:\t0\nflags:\t02100002\nmnt_id:\t27\nino:\t10952872\n"
      "lock:\t1: OFDLCK ADVISORY  WRITE -1 fe:00:10952872 0 EOF\n");
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0], (FileLock{"OFDLCK", true, false, -1, 0xfe, 0, 10952872, 0, std::nullopt}));
}

TEST(FileLocks, ReadsARangeAndAReader) {
  const auto locks = parse_fdinfo_locks("lock:\t1: POSIX  ADVISORY  READ  4711 00:1a:99 100 199\n");
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0], (FileLock{"POSIX", false, false, 4711, 0, 0x1a, 99, 100, 199}));
}

TEST(FileLocks, ReadsProcLocksWithItsWaiters) {
  const auto locks = parse_proc_locks(
      "1: OFDLCK ADVISORY  WRITE -1 00:2f:11 0 EOF\n"
      "1: -> OFDLCK ADVISORY  READ -1 00:2f:11 0 EOF\n"
      "2: FLOCK  ADVISORY  WRITE 812 08:01:131090 0 EOF\n");
  ASSERT_EQ(locks.size(), 3U);
  EXPECT_FALSE(locks[0].blocked);
  EXPECT_TRUE(locks[1].blocked);
  EXPECT_FALSE(locks[1].write);
  EXPECT_EQ(locks[2].type, "FLOCK");
  EXPECT_EQ(locks[2].pid, 812);
}

TEST(FileLocks, SkipsWhatIsMalformed) {
  for (const std::string line :
       {"", "1:", "1: ->", "1: OFDLCK ADVISORY  WRITE -1 fe:00:10952872 0",
        "1: OFDLCK ADVISORY  WRITE -1 <none>:0 0 EOF", "1: OFDLCK ADVISORY  WRITE x fe:00:1 0 EOF",
        "1: OFDLCK ADVISORY  WRITE -1 fe:00:1 -1 EOF", "1: OFDLCK ADVISORY  WRITE -1 fe:00:1 0 END",
        "1: OFDLCK ADVISORY  WRITE -1 fe:00:1 0 EOF more", "OFDLCK ADVISORY  WRITE -1 fe:00:1 0 EOF x y"}) {
    EXPECT_TRUE(parse_proc_locks(line).empty()) << line;
    EXPECT_TRUE(parse_fdinfo_locks("lock:\t" + line).empty()) << line;
  }
}

}  // namespace
}  // namespace antifreeze::readings
