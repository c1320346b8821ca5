#include "host/executable.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>

#include "core/fd.h"
#include "host/fake/temp_dir.h"
#include "host/syslog.h"
#include "host/unix_address.h"

namespace antifreeze::host {
namespace {

TEST(Executable, FindsProgramsInThePathButNotOurselves) {
  const fake::TempDir dir;
  for (const char* name : {"a/tool", "b/tool", "b/plain"}) dir.write(name, "#!/bin/sh\n");
  for (const char* name : {"a/tool", "b/tool"}) ASSERT_EQ(::chmod(dir.path(name).c_str(), 0755), 0);
  const auto path = dir.path("a") + ":" + dir.path("b");
  EXPECT_EQ(*find_program("tool", path, ""), dir.path("a/tool"));
  EXPECT_EQ(*find_program("tool", path, dir.path("a/tool")), dir.path("b/tool"));
  EXPECT_EQ(*find_program(dir.path("b/tool"), "", ""), dir.path("b/tool"));
  EXPECT_FALSE(find_program("plain", path, ""));
  EXPECT_FALSE(find_program(dir.path("b/tool"), "", dir.path("b/tool")));
  EXPECT_TRUE(find_program("sh", "", ""));
  EXPECT_FALSE(find_program("", path, ""));
}

TEST(Executable, KnowsItself) {
  const auto own = own_executable();
  ASSERT_TRUE(own);
  EXPECT_EQ(own->front(), '/');
}

TEST(Syslog, SendsOneLineAndNeverWaits) {
  const fake::TempDir dir;
  const auto path = dir.path("log");
  EXPECT_FALSE(send_to_syslog(path, "x", LogLevel::kInfo, "nobody listens"));
  const auto address = unix_address(path);
  ASSERT_TRUE(address);
  const core::Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(fd.get(), address->get(), address->size), 0);
  ASSERT_TRUE(send_to_syslog(path, "prog", LogLevel::kWarning, "one\nline"));
  std::array<char, 200> buffer{};
  const auto got = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
  const std::string text(buffer.data(), static_cast<std::size_t>(got));
  EXPECT_TRUE(text.starts_with("<28>prog[")) << text;
  EXPECT_TRUE(text.ends_with("]: one?line")) << text;
  int sent = 0;
  while (sent < 100000 && send_to_syslog(path, "prog", LogLevel::kInfo, "x")) ++sent;
  EXPECT_LT(sent, 100000);  // full: lost, not waited for
}

}  // namespace
}  // namespace antifreeze::host
