#include "gate/keep_copy.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/breaker_file.h"
#include "gate/event_log.h"
#include "host/dir.h"
#include "host/fake/temp_dir.h"

namespace antifreeze::gate {
namespace {

using host::fake::TempDir;

void put(const TempDir& dir, const std::string& service, std::uint64_t starts) {
  BreakerRecord record;
  record.service = service;
  record.starts_total = starts;
  dir.write(breaker_file_name(service), encode_breaker(record));
}

std::uint64_t starts(const TempDir& dir, const std::string& service) {
  const auto record = load_breaker(dir.fd(), service);
  return record ? record->starts_total : 9999;
}

bool exists(const TempDir& dir, const std::string& name) {
  struct stat st{};
  return ::lstat(dir.path(name).c_str(), &st) == 0;
}

std::string text(const TempDir& dir, std::string_view name) {
  const auto content = host::read_file_at(dir.fd(), std::string(name), 16 * 1024 * 1024);
  return content ? *content : "(absent)";
}

struct Dirs {
  TempDir gate;
  TempDir state;
  CopyReport report;
};

TEST(KeepBreakers, SavesChangedOnesAndRemovesResetOnes) {
  Dirs dirs;
  put(dirs.gate, "a", 1);
  put(dirs.gate, "b", 2);
  put(dirs.state, "b", 2);
  put(dirs.state, "gone", 3);
  ASSERT_TRUE(copy_breakers(dirs.gate.fd(), dirs.state.fd(), true, dirs.report));
  EXPECT_EQ(starts(dirs.state, "a"), 1u);
  EXPECT_EQ(starts(dirs.state, "b"), 2u);
  EXPECT_FALSE(exists(dirs.state, "b-gone"));
  EXPECT_EQ(dirs.report.changed, 2u) << "b was the same already";
  EXPECT_TRUE(dirs.report.warnings.empty());
}

TEST(KeepBreakers, RestoreLeavesWhatIsThereAlone) {
  Dirs dirs;
  put(dirs.state, "a", 1);
  put(dirs.state, "b", 1);
  put(dirs.gate, "b", 7);
  put(dirs.gate, "c", 8);
  ASSERT_TRUE(copy_breakers(dirs.state.fd(), dirs.gate.fd(), false, dirs.report));
  EXPECT_EQ(starts(dirs.gate, "a"), 1u);
  EXPECT_EQ(starts(dirs.gate, "b"), 7u);
  EXPECT_EQ(starts(dirs.gate, "c"), 8u);
}

TEST(KeepBreakers, OwnerTravelsWithTheRecord) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  Dirs dirs;
  put(dirs.gate, "a", 1);
  ASSERT_EQ(::chown(dirs.gate.path("b-a").c_str(), 1000, 1001), 0);
  ASSERT_TRUE(copy_breakers(dirs.gate.fd(), dirs.state.fd(), true, dirs.report));
  struct stat st{};
  ASSERT_EQ(::stat(dirs.state.path("b-a").c_str(), &st), 0);
  EXPECT_EQ(st.st_uid, 1000u);
  EXPECT_EQ(st.st_gid, 1001u);
  EXPECT_EQ(st.st_mode & 07777, 0644u);
}

TEST(KeepBreakers, HostileFilesAreLeftOutAndNamed) {
  Dirs dirs;
  dirs.gate.write("secret", "root:x:0:0");
  ASSERT_EQ(::symlink("secret", dirs.gate.path("b-link").c_str()), 0);
  ASSERT_EQ(::mkfifo(dirs.gate.path("b-fifo").c_str(), 0666), 0);
  ASSERT_EQ(::mkdir(dirs.gate.path("b-dir").c_str(), 0777), 0);
  dirs.gate.write("b-garbage", std::string(100, '\x1b'));
  dirs.gate.write("b-huge", std::string(100'000, 'x'));
  put(dirs.gate, "real", 4);
  ASSERT_EQ(::rename(dirs.gate.path("b-real").c_str(), dirs.gate.path("b-impostor").c_str()), 0);
  dirs.gate.write("b-odd name", "x");
  dirs.gate.write("t-0000000000000000-00000000", "x");
  put(dirs.gate, "good", 5);
  ASSERT_TRUE(copy_breakers(dirs.gate.fd(), dirs.state.fd(), true, dirs.report));
  EXPECT_EQ(host::list_names(dirs.state.fd(), 100)->names, std::vector<std::string>{"b-good"});
  EXPECT_EQ(dirs.report.warnings.size(), 6u);
  for (const auto& warning : dirs.report.warnings) EXPECT_EQ(warning.find('\x1b'), std::string::npos) << warning;
}

TEST(KeepBreakers, DamagedFileLeavesTheLastGoodCopyAlone) {
  Dirs dirs;
  put(dirs.state, "a", 3);
  dirs.gate.write("b-a", "garbage");
  ASSERT_TRUE(copy_breakers(dirs.gate.fd(), dirs.state.fd(), true, dirs.report));
  EXPECT_EQ(starts(dirs.state, "a"), 3u);
}

TEST(KeepBreakers, DamagedCopyIsReplaced) {
  Dirs dirs;
  dirs.state.write("b-a", "torn by a power cut");
  put(dirs.gate, "a", 3);
  ASSERT_TRUE(copy_breakers(dirs.gate.fd(), dirs.state.fd(), true, dirs.report));
  EXPECT_EQ(starts(dirs.state, "a"), 3u);
}

TEST(KeepBreakers, FloodOfNamesDoesNotPushOutKnownOnes) {
  Dirs dirs;
  put(dirs.state, "zzz", 1);
  put(dirs.gate, "zzz", 2);
  for (int i = 0; i < 250; ++i) put(dirs.gate, "known" + std::to_string(i), 1);
  for (int i = 0; i < 250; ++i) put(dirs.state, "known" + std::to_string(i), 1);
  for (int i = 0; i < 50; ++i) put(dirs.gate, "flood" + std::to_string(i), 1);
  ASSERT_TRUE(copy_breakers(dirs.gate.fd(), dirs.state.fd(), true, dirs.report));
  EXPECT_EQ(host::list_names(dirs.state.fd(), 1000)->names.size(), kMaxBreakersKept);
  EXPECT_EQ(starts(dirs.state, "zzz"), 2u);
  EXPECT_EQ(dirs.report.warnings.size(), 1u);
}

TEST(KeepLog, AppendsWhatIsNew) {
  Dirs dirs;
  dirs.gate.write(kEventLogName, "1\n");
  ASSERT_TRUE(save_log(dirs.gate.fd(), dirs.state.fd(), dirs.report));
  struct stat before{};
  ASSERT_EQ(::stat(dirs.state.path(kEventLogName).c_str(), &before), 0);
  dirs.gate.write(kEventLogName, "1\n2\n");
  ASSERT_TRUE(save_log(dirs.gate.fd(), dirs.state.fd(), dirs.report));
  ASSERT_TRUE(save_log(dirs.gate.fd(), dirs.state.fd(), dirs.report));
  struct stat after{};
  ASSERT_EQ(::stat(dirs.state.path(kEventLogName).c_str(), &after), 0);
  EXPECT_EQ(text(dirs.state, kEventLogName), "1\n2\n");
  EXPECT_EQ(before.st_ino, after.st_ino) << "appended, not written again";
  EXPECT_EQ(dirs.report.changed, 2u);
}

TEST(KeepLog, FollowsARotation) {
  Dirs dirs;
  dirs.gate.write(kEventLogName, "1\n");
  ASSERT_TRUE(save_log(dirs.gate.fd(), dirs.state.fd(), dirs.report));
  // A last line came between the save and the rotation.
  dirs.gate.write(kOldEventLogName, "1\n2\n");
  dirs.gate.write(kEventLogName, "3\n");
  ASSERT_TRUE(save_log(dirs.gate.fd(), dirs.state.fd(), dirs.report));
  EXPECT_EQ(text(dirs.state, kOldEventLogName), "1\n2\n");
  EXPECT_EQ(text(dirs.state, kEventLogName), "3\n");
}

TEST(KeepLog, LogThatWasEmptiedInPlaceBecomesTheOlderGeneration) {
  Dirs dirs;
  dirs.gate.write(kEventLogName, "1\n2\n");
  ASSERT_TRUE(save_log(dirs.gate.fd(), dirs.state.fd(), dirs.report));
  dirs.gate.write(kEventLogName, "3\n");
  ASSERT_TRUE(save_log(dirs.gate.fd(), dirs.state.fd(), dirs.report));
  EXPECT_EQ(text(dirs.state, kOldEventLogName), "1\n2\n");
  EXPECT_EQ(text(dirs.state, kEventLogName), "3\n");
}

TEST(KeepLog, FloodedLogIsCutToItsEnd) {
  Dirs dirs;
  std::string flood;
  while (flood.size() < 3 * kEventLogBytes) flood += "line " + std::to_string(flood.size()) + "\n";
  dirs.gate.write(kEventLogName, flood);
  ASSERT_TRUE(save_log(dirs.gate.fd(), dirs.state.fd(), dirs.report));
  const auto saved = text(dirs.state, kEventLogName);
  EXPECT_LE(saved.size(), kEventLogBytes);
  EXPECT_TRUE(saved.starts_with("line "));
  EXPECT_TRUE(flood.ends_with(saved));
}

TEST(KeepLog, LinkInItsPlaceIsNotFollowed) {
  Dirs dirs;
  dirs.gate.write("secret", "root:x:0:0\n");
  ASSERT_EQ(::symlink("secret", dirs.gate.path(kEventLogName).c_str()), 0);
  ASSERT_TRUE(save_log(dirs.gate.fd(), dirs.state.fd(), dirs.report));
  EXPECT_FALSE(exists(dirs.state, std::string(kEventLogName)));
  EXPECT_EQ(dirs.report.warnings.size(), 1u);
}

TEST(KeepLog, RestoreCutsATornLineAndEveryoneMayAppend) {
  Dirs dirs;
  dirs.state.write(kEventLogName, std::string("1\n2\n3 torn\0\0\0", 13));
  dirs.state.write(kOldEventLogName, "0\n");
  ASSERT_TRUE(restore_log(dirs.state.fd(), dirs.gate.fd(), dirs.report));
  EXPECT_EQ(text(dirs.gate, kEventLogName), "1\n2\n");
  EXPECT_EQ(text(dirs.gate, kOldEventLogName), "0\n");
  struct stat st{};
  ASSERT_EQ(::stat(dirs.gate.path(kEventLogName).c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0666u);
  // The next save goes on in the same generation.
  dirs.gate.write(kEventLogName, "1\n2\n4\n");
  ASSERT_TRUE(save_log(dirs.gate.fd(), dirs.state.fd(), dirs.report));
  EXPECT_EQ(text(dirs.state, kEventLogName), "1\n2\n4\n");
  EXPECT_EQ(text(dirs.state, kOldEventLogName), "0\n");
}

TEST(KeepLog, RestoreLeavesALogThatIsThereAlone) {
  Dirs dirs;
  dirs.state.write(kEventLogName, "old\n");
  dirs.gate.write(kEventLogName, "new\n");
  ASSERT_TRUE(restore_log(dirs.state.fd(), dirs.gate.fd(), dirs.report));
  EXPECT_EQ(text(dirs.gate, kEventLogName), "new\n");
}

}  // namespace
}  // namespace antifreeze::gate
