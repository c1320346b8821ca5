#include "host/notify.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "host/fake/temp_dir.h"
#include "host/unix_address.h"

namespace antifreeze::host {
namespace {

TEST(Notify, TellsTheTextAndWhoSentIt) {
  const auto socket = NotifySocket::open();
  ASSERT_TRUE(socket);
  EXPECT_FALSE(*socket->receive()) << "nothing was sent yet";
  const pid_t child = ::fork();
  if (child == 0) ::_exit(notify_send(socket->name(), "STATUS=loading\nREADY=1") ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const auto message = *socket->receive();
  ASSERT_TRUE(message);
  EXPECT_EQ(message->pid, child);
  EXPECT_EQ(message->uid, ::getuid());
  EXPECT_EQ(message->value("READY"), "1");
  EXPECT_EQ(message->value("STATUS"), "loading");
  EXPECT_FALSE(message->value("STAT"));
  EXPECT_FALSE(message->value("STOPPING"));
}

TEST(Notify, EachSocketHasItsOwnName) {
  const auto one = NotifySocket::open();
  const auto two = NotifySocket::open();
  ASSERT_TRUE(one && two);
  EXPECT_NE(one->name(), two->name());
}

TEST(Notify, CutsAnOverlongMessage) {
  const auto socket = NotifySocket::open();
  ASSERT_TRUE(notify_send(socket->name(), std::string(100'000, 'x')));
  const auto message = *socket->receive();
  ASSERT_TRUE(message);
  EXPECT_EQ(message->text.size(), 4096u);
}

TEST(Notify, ClosesDescriptorsThatComeAlong) {
  const auto socket = NotifySocket::open();
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const core::Fd sender(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto address = unix_address(socket->name());
  char text[] = "BARRIER=1";
  iovec part{text, sizeof(text) - 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr head{};
  sockaddr_un to = address->address;
  head.msg_name = &to;
  head.msg_namelen = address->size;
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  head.msg_control = control;
  head.msg_controllen = sizeof(control);
  cmsghdr* rights = CMSG_FIRSTHDR(&head);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &ends[1], sizeof(int));
  ASSERT_GT(::sendmsg(sender.get(), &head, 0), 0);
  ::close(ends[1]);
  const auto message = *socket->receive();
  ASSERT_TRUE(message);
  EXPECT_EQ(message->text, "BARRIER=1");
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0) << "a copy of the write end is still open";
  ::close(ends[0]);
}

TEST(Notify, ReachesASocketPath) {
  const fake::TempDir dir;
  const core::Fd manager(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto address = unix_address(dir.path("notify"));
  ASSERT_EQ(::bind(manager.get(), address->get(), address->size), 0);
  ASSERT_TRUE(notify_send(dir.path("notify"), "READY=1"));
  char buffer[16] = {};
  EXPECT_EQ(::recv(manager.get(), buffer, sizeof(buffer), 0), 7);
  EXPECT_STREQ(buffer, "READY=1");
}

TEST(Notify, FailsPlainlyAndNeverWaits) {
  EXPECT_EQ(notify_send("@antifreeze/nobody", "READY=1").error().sys_errno(), ECONNREFUSED);
  EXPECT_EQ(notify_send("/nonexistent/notify", "READY=1").error().code(), core::ErrorCode::kNotFound);
  for (const auto& name : {std::string(), std::string("relative"), std::string("@"), std::string("vsock:2:1"),
                           "/" + std::string(200, 'x')}) {
    EXPECT_EQ(notify_send(name, "READY=1").error().code(), core::ErrorCode::kUnsupported) << name;
  }
  const auto deaf = NotifySocket::open();
  core::Status last;
  for (int i = 0; i < 100'000 && last; ++i) last = notify_send(deaf->name(), "WATCHDOG=1");
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().sys_errno(), EAGAIN);
}

}  // namespace
}  // namespace antifreeze::host
