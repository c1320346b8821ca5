#include "host/dir.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <algorithm>
#include <set>

#include "host/fake/temp_dir.h"

namespace antifreeze::host {
namespace {

using core::ErrorCode;
using fake::TempDir;

TEST(OpenDir, RefusesALinkAsTampering) {
  const TempDir dir;
  dir.make_dir("real");
  dir.link("real", "link");
  EXPECT_TRUE(open_dir(AT_FDCWD, dir.path("real")));
  const auto through_link = open_dir(AT_FDCWD, dir.path("link"));
  ASSERT_FALSE(through_link);
  EXPECT_EQ(through_link.error().code(), ErrorCode::kTampered);
}

TEST(OpenDir, TellsAFileFromNothing) {
  const TempDir dir;
  dir.write("file", "x");
  const auto file = open_dir(AT_FDCWD, dir.path("file"));
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code(), ErrorCode::kInvalid);
  const auto nothing = open_dir(dir.fd(), "nothing");
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code(), ErrorCode::kNotFound);
}

TEST(OpenRegularAt, NeverOpensOrWaitsForWhatIsNoRegularFile) {
  const TempDir dir;
  dir.write("file", "x");
  dir.make_dir("dir");
  dir.link("file", "link");
  dir.link("/dev/zero", "device-link");
  ASSERT_EQ(::mkfifo(dir.path("fifo").c_str(), 0600), 0);
  const core::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  dir.path("socket").copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  for (const char* name : {"dir", "link", "device-link", "fifo", "socket"}) {
    for (const int flags : {O_RDONLY, O_RDWR}) {
      const auto opened = open_regular_at(dir.fd(), name, flags);
      ASSERT_FALSE(opened) << name;
      EXPECT_EQ(opened.error().code(), ErrorCode::kTampered) << name << ": " << opened.error().message();
    }
  }
  EXPECT_TRUE(open_regular_at(dir.fd(), "file", O_RDWR));
}

TEST(OpenRegularAt, IsNotInheritedAcrossExec) {
  const TempDir dir;
  dir.write("file", "x");
  const auto opened = open_regular_at(dir.fd(), "file", O_RDONLY);
  ASSERT_TRUE(opened);
  EXPECT_NE(::fcntl(opened->get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(ListNames, IsSortedAndComplete) {
  const TempDir dir;
  std::set<std::string> expected;
  for (int i = 0; i < 700; ++i) {
    const std::string name = "t-" + std::to_string(i) + std::string(40, 'x');
    dir.write(name, "");
    expected.insert(name);
  }
  const auto list = list_names(dir.fd(), 700);
  ASSERT_TRUE(list);
  EXPECT_FALSE(list->truncated);
  EXPECT_TRUE(std::equal(list->names.begin(), list->names.end(), expected.begin(), expected.end()));
}

TEST(ListNames, StopsAtItsBoundAndSaysSo) {
  const TempDir dir;
  for (const char* name : {"a", "b", "c"}) dir.write(name, "");
  const auto list = list_names(dir.fd(), 2);
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->truncated);
  EXPECT_EQ(list->names.size(), 2u);
}

TEST(ListNames, StartsAfreshEachTimeOnTheSameDescriptor) {
  const TempDir dir;
  dir.write("a", "");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(list_names(dir.fd(), 10)->names.size(), 1u);
}

TEST(ReadFileAt, RefusesWhatIsTooLarge) {
  const TempDir dir;
  dir.write("file", std::string(5000, 'x'));
  EXPECT_EQ(read_file_at(dir.fd(), "file", 5000)->size(), 5000u);
  const auto too_large = read_file_at(dir.fd(), "file", 4999);
  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.error().code(), ErrorCode::kInvalid);
}

TEST(PreadAll, CutsAtItsBoundAndLeavesTheOffsetAlone) {
  const TempDir dir;
  dir.write("file", "0123456789");
  const auto file = open_regular_at(dir.fd(), "file", O_RDONLY);
  ASSERT_TRUE(file);
  EXPECT_EQ(*pread_all(file->get(), 4), "0123");
  EXPECT_EQ(*pread_all(file->get(), 100), "0123456789");
  EXPECT_EQ(*read_all(file->get(), 100), "0123456789");
}

TEST(ForEachBlock, HandsOutWholeLinesAndDropsOverlongOnes) {
  const TempDir dir;
  std::string text;
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string line = std::to_string(i) + std::string(static_cast<std::size_t>(i % 97), 'x') + "\n";
    text += line;
    expected += line;
    if (i % 1000 == 0) text += std::string(100'000, 'y') + "\n";
  }
  dir.write("table", text + "no line feed");
  const auto file = open_regular_at(dir.fd(), "table", O_RDONLY);
  ASSERT_TRUE(file);
  std::string seen;
  std::size_t largest = 0;
  ASSERT_TRUE(for_each_block(file->get(), [&](std::string_view lines) {
    EXPECT_TRUE(lines.ends_with('\n') || lines == "no line feed");
    largest = std::max(largest, lines.size());
    seen += lines;
  }));
  EXPECT_EQ(seen, expected + "no line feed");
  EXPECT_LE(largest, 65536u + 16384u);
}

TEST(PwriteAll, OverwritesInPlace) {
  const TempDir dir;
  dir.write("file", "0123456789");
  const auto file = open_regular_at(dir.fd(), "file", O_RDWR);
  ASSERT_TRUE(file);
  ASSERT_TRUE(pwrite_all(file->get(), "ab", 3));
  EXPECT_EQ(*pread_all(file->get(), 100), "012ab56789");
}

TEST(WriteAll, ReportsAFullDevice) {
  const core::Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full.valid());
  const auto written = write_all(full.get(), "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), ErrorCode::kFull);
}

TEST(WriteFileAtomic, SetsContentAndModeWhateverTheUmask) {
  const TempDir dir;
  const mode_t old_mask = ::umask(0077);
  for (const bool sync : {false, true}) {
    ASSERT_TRUE(write_file_atomic(dir.fd(), "b-svc", sync ? "two" : "one", 0644, sync));
  }
  ::umask(old_mask);
  EXPECT_EQ(*read_file_at(dir.fd(), "b-svc", 100), "two");
  struct stat st{};
  ASSERT_EQ(::stat(dir.path("b-svc").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0644u);
  EXPECT_EQ(list_names(dir.fd(), 10)->names, std::vector<std::string>{"b-svc"});
}

TEST(WriteFileAtomic, ReplacesALinkInsteadOfFollowingIt) {
  const TempDir dir;
  dir.write("victim", "keep");
  dir.link("victim", "b-svc");
  ASSERT_TRUE(write_file_atomic(dir.fd(), "b-svc", "new", 0644, false));
  EXPECT_EQ(*read_file_at(dir.fd(), "victim", 100), "keep");
  EXPECT_EQ(*read_file_at(dir.fd(), "b-svc", 100), "new");
}

TEST(WriteFileAtomic, LeavesNothingBehindWhenItFails) {
  const TempDir dir;
  dir.make_dir("taken/inside");
  EXPECT_FALSE(write_file_atomic(dir.fd(), "taken", "x", 0644, false));
  EXPECT_EQ(list_names(dir.fd(), 10)->names, std::vector<std::string>{"taken"});
}

TEST(RandomHex, HasTheLengthAskedForAndDiffers) {
  const auto one = random_hex(16);
  const auto two = random_hex(16);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->size(), 32u);
  EXPECT_EQ(one->find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(*one, *two);
}

TEST(IsSameFile, NoticesUnlinkAndReplacement) {
  const TempDir dir;
  dir.write("registry", "");
  const auto file = open_regular_at(dir.fd(), "registry", O_RDWR);
  ASSERT_TRUE(file);
  EXPECT_TRUE(*is_same_file(file->get(), dir.fd(), "registry"));
  ASSERT_TRUE(write_file_atomic(dir.fd(), "registry", "", 0666, false));
  EXPECT_FALSE(*is_same_file(file->get(), dir.fd(), "registry"));
  ASSERT_EQ(::unlinkat(dir.fd(), "registry", 0), 0);
  EXPECT_FALSE(*is_same_file(file->get(), dir.fd(), "registry"));
}

TEST(FileSystemOf, KnowsTmpfsAndProc) {
  const core::Fd proc(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(file_system_of(proc.get())->name, "proc");
  const core::Fd shm(::open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!shm.valid()) GTEST_SKIP() << "no /dev/shm here";
  EXPECT_EQ(file_system_of(shm.get())->name, "tmpfs");
  EXPECT_FALSE(file_system_of(-1));
}

TEST(ForEachName, StopsWhenTold) {
  const TempDir dir;
  for (const char* name : {"a", "b", "c"}) dir.write(name, "");
  int seen = 0;
  ASSERT_TRUE(for_each_name(dir.fd(), [&](const char*) { return ++seen < 2; }));
  EXPECT_EQ(seen, 2);
}

}  // namespace
}  // namespace antifreeze::host
