#include "host/proc_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "host/fake/child_process.h"
#include "host/fake/loopback_server.h"
#include "host/fake/temp_dir.h"

namespace antifreeze::host {
namespace {

using core::ErrorCode;
using fake::ChildProcess;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;

std::unique_ptr<ProcTree> real() {
  auto tree = RealProcTree::open();
  return tree ? *std::move(tree) : nullptr;
}

std::uint64_t inode_of(int fd) {
  struct stat st{};
  return ::fstat(fd, &st) == 0 ? st.st_ino : 0;
}

TEST(RealProcTree, FindsDescendantsInSessionsOfTheirOwn) {
  ChildProcess child([](auto say) {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      ::setsid();
      say("up");
      for (;;) ::pause();
    }
    say(" " + std::to_string(grandchild));
  });
  std::string heard;
  while (heard.size() < 3 || heard.find("up") == std::string::npos || heard.find(' ') == std::string::npos) {
    heard += child.hear();
  }
  heard.erase(heard.find("up"), 2);
  const auto grandchild = static_cast<pid_t>(std::stoi(heard));
  const auto tree = real();
  const auto found = tree->descendants(::getpid());
  EXPECT_THAT(found, Contains(Field(&ProcInfo::pid, child.pid())));
  EXPECT_THAT(found,
              Contains(::testing::AllOf(Field(&ProcInfo::pid, grandchild), Field(&ProcInfo::ppid, child.pid()))));
  EXPECT_THAT(found, Not(Contains(Field(&ProcInfo::pid, ::getpid()))));
  EXPECT_THAT(tree->children(::getpid()), ElementsAre(child.pid()));
  EXPECT_THAT(tree->children(child.pid()), ElementsAre(grandchild));
  EXPECT_THAT(tree->descendants(grandchild), IsEmpty());
  ::kill(grandchild, SIGKILL);
}

TEST(RealProcTree, AProcessThatIsGoneIsNotFound) {
  ChildProcess child([](auto) {});
  const pid_t pid = child.pid();
  const auto tree = real();
  EXPECT_TRUE(tree->process(pid));
  child.end();
  EXPECT_EQ(tree->process(pid).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(tree->socket_inodes(pid).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(tree->environment_value(pid, "PATH").error().code(), ErrorCode::kNotFound);
  const std::vector<pid_t> pids{pid};
  const auto usage = tree->usage(pids);
  EXPECT_EQ(usage.cpu_ticks, 0u);
  EXPECT_EQ(usage.rss_bytes, 0u);
  EXPECT_FALSE(usage.io_bytes);
}

TEST(RealProcTree, UsageGrowsWithMemoryAndIo) {
  const auto tree = real();
  const std::vector<pid_t> self{::getpid()};
  const auto before = tree->usage(self);
  ASSERT_TRUE(before.io_bytes);
  std::vector<char> memory(32 * 1024 * 1024, 'x');
  const core::Fd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::write(null.get(), memory.data(), memory.size()), static_cast<ssize_t>(memory.size()));
  const auto after = tree->usage(self);
  EXPECT_GE(after.rss_bytes, before.rss_bytes + memory.size() / 2);
  EXPECT_GE(*after.io_bytes, *before.io_bytes + memory.size());
}

TEST(RealProcTree, FindsAListenerAndItsHolder) {
  const auto tree = real();
  const fake::LoopbackServer server;
  const fake::LoopbackServer bound_only(false);
  const auto listeners = tree->tcp_listeners(server.port());
  ASSERT_TRUE(listeners);
  ASSERT_EQ(listeners->size(), 1u);
  EXPECT_EQ((*listeners)[0].inode, inode_of(server.fd()));
  EXPECT_THAT(*tree->socket_inodes(::getpid()), Contains(inode_of(server.fd())));
  EXPECT_THAT(*tree->tcp_listeners(bound_only.port()), IsEmpty());
  EXPECT_EQ(tree->tcp_listeners(server.port(), ::getpid())->size(), 1u);
}

TEST(RealProcTree, FindsUnixListenersByTheirExactName) {
  const auto tree = real();
  const fake::TempDir dir;
  const fake::LoopbackServer server(dir.path("s"));
  EXPECT_THAT(*tree->unix_listeners(dir.path("s")), ElementsAre(inode_of(server.fd())));
  EXPECT_THAT(*tree->unix_listeners(dir.path("s2")), IsEmpty());
}

TEST(RealProcTree, FindsProcessesByTheirEnvironment) {
  const std::string ticket = "t-" + std::to_string(::getpid()) + "-test";
  const ChildProcess child([&](auto) {
    const std::string variable = "ANTIFREEZE_TICKET=" + ticket;
    const char* argv[] = {"sh", "-c", "read line", nullptr};
    const char* environment[] = {"A=B", variable.c_str(), nullptr};
    int ends[2];
    if (::pipe(ends) == 0) ::dup2(ends[0], 0);
    ::execve("/bin/sh", const_cast<char**>(argv), const_cast<char**>(environment));
  });
  ASSERT_EQ(child.hear(), "") << "the pipe closes with the exec";
  const auto tree = real();
  EXPECT_THAT(tree->find_by_environment("ANTIFREEZE_TICKET", ticket), ElementsAre(child.pid()));
  EXPECT_THAT(tree->find_by_environment("ANTIFREEZE_TICKET", ticket + "x"), IsEmpty());
  EXPECT_EQ(*tree->environment_value(child.pid(), "A"), "B");
  EXPECT_EQ(*tree->environment_value(child.pid(), "TICKET"), std::nullopt);
}

TEST(RealProcTree, TellsForbiddenFromGone) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  const pid_t parent = ::getpid();
  const ChildProcess child([&](auto say) {
    if (::setresuid(65534, 65534, 65534) != 0) say("cannot change user");
    const auto tree = real();
    const auto code_of = [](const auto& result) { return result ? ErrorCode::kSystem : result.error().code(); };
    const bool forbidden = code_of(tree->socket_inodes(parent)) == ErrorCode::kPermission &&
                           code_of(tree->environment_value(parent, "A")) == ErrorCode::kPermission;
    const std::vector<pid_t> pids{parent};
    say(forbidden && tree->process(parent) && !tree->usage(pids).io_bytes ? "forbidden" : "not told apart");
  });
  EXPECT_EQ(child.hear(), "forbidden");
}

class CapturedProc : public ::testing::Test {
 protected:
  void process(int pid, int ppid, const std::string& comm = "x", const std::string& state = "S") {
    const std::string id = std::to_string(pid);
    // man 5 proc: fields 4 to 24; utime 14, stime 15, starttime 22, rss 24.
    root_.write(id + "/stat", id + " (" + comm + ") " + state + " " + std::to_string(ppid) +
                                  " 1 1 0 -1 4194560 10 0 2 0 7 5 0 0 20 0 1 0 " + id + "00 1000000 3 0\n");
  }
  std::unique_ptr<ProcTree> tree() const {
    auto opened = RealProcTree::open(root_.path());
    return opened ? *std::move(opened) : nullptr;
  }
  static std::vector<pid_t> pids(const std::vector<ProcInfo>& found) {
    std::vector<pid_t> out;
    for (const auto& info : found) out.push_back(info.pid);
    return out;
  }
  fake::TempDir root_;
};

TEST_F(CapturedProc, HostileNamesDoNotForgeParents) {
  process(10, 1);
  process(11, 10, "a) S 1 1 1");
  process(12, 10, "line\n12 (b) S 99");
  process(13, 1, ") S 10 (");
  const auto found = tree()->descendants(10);
  EXPECT_THAT(pids(found), ElementsAre(11, 12));
  EXPECT_EQ(found[0].comm, "a) S 1 1 1");
  EXPECT_EQ(found[0].starttime_ticks, 1100u);
}

TEST_F(CapturedProc, ARingOfParentsEnds) {
  process(10, 12);
  process(11, 10);
  process(12, 11);
  EXPECT_THAT(pids(tree()->descendants(10)), ElementsAre(11, 12));
}

TEST_F(CapturedProc, WhatIsNoProcessIsPassedOver) {
  process(10, 1);
  process(11, 10);
  root_.write("12/stat", "garbage");
  root_.write("13/stat", "");
  root_.make_dir("14");
  root_.write("99999999999/stat", "x");
  root_.write("meminfo", "x");
  root_.make_dir("15/stat");
  root_.make_dir("16");
  ASSERT_EQ(::mkfifo(root_.path("16/stat").c_str(), 0600), 0);
  root_.link("../11/stat", "17/stat");
  EXPECT_THAT(pids(tree()->descendants(10)), ElementsAre(11));
  EXPECT_EQ(tree()->process(16).error().code(), ErrorCode::kTampered);
}

TEST_F(CapturedProc, SumsUsageOverProcesses) {
  process(10, 1);
  process(11, 10);
  root_.write("10/io", "rchar: 100\nwchar: 20\nread_bytes: 4096\nwrite_bytes: 0\n");
  const std::vector<pid_t> both{10, 11};
  const auto usage = tree()->usage(both);
  EXPECT_EQ(usage.cpu_ticks, 24u);
  EXPECT_EQ(usage.rss_bytes, 6u * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(usage.io_bytes, 4216u);
}

TEST_F(CapturedProc, ReadsChildrenFilesOfAllThreadsAndElseScans) {
  process(10, 1);
  process(12, 10);
  process(11, 10);
  EXPECT_THAT(tree()->children(10), ElementsAre(11, 12)) << "no task folder: scanned";
  root_.make_dir("10/task/10");
  EXPECT_THAT(tree()->children(10), ElementsAre(11, 12)) << "a kernel without the files: scanned";
  root_.write("10/task/10/children", "31 22 x -1 ");
  root_.write("10/task/17/children", "25 ");
  EXPECT_THAT(tree()->children(10), ElementsAre(22, 25, 31));
}

TEST_F(CapturedProc, SocketsAreReadFromLinks) {
  root_.link("socket:[77]", "10/fd/5");
  root_.link("socket:[8]", "10/fd/6");
  root_.link("/dev/null", "10/fd/0");
  root_.link("socket:[junk]", "10/fd/7");
  root_.write("10/fd/8", "");
  EXPECT_THAT(*tree()->socket_inodes(10), ElementsAre(8, 77));
}

TEST_F(CapturedProc, MissingIpv6IsFineMissingTcpIsNot) {
  EXPECT_EQ(tree()->tcp_listeners(8000).error().code(), ErrorCode::kNotFound);
  root_.write(
      "self/net/tcp",
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0 100 0\n"
      "   1: 0100007F:1F40 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 4243 1 0 100 0\n");
  const auto listeners = tree()->tcp_listeners(8000);
  ASSERT_TRUE(listeners);
  EXPECT_THAT(*listeners, ElementsAre(Field(&readings::InetSocket::inode, 4242u)));
}

TEST(RealProcTreeOpen, SaysWhenThereIsNoProc) {
  EXPECT_EQ(RealProcTree::open("/nonexistent").error().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace antifreeze::host
