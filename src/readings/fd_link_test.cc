#include "readings/fd_link.h"

#include <gtest/gtest.h>

namespace antifreeze::readings {
namespace {

TEST(FdLink, ReadsTheInodeOfASocket) {
  EXPECT_EQ(socket_inode("socket:[123]"), 123U);
  EXPECT_EQ(socket_inode("socket:[0]"), 0U);
  EXPECT_EQ(link_inode("net:[4026531840]", "net"), 4026531840U);
}

TEST(FdLink, RefusesEverythingElse) {
  for (const char* target : {"", "socket", "socket:", "socket:[", "socket:[]", "socket:]", "socket:[12", "socket:[-1]",
                             "socket:[1 ]", "socket:[1]x", "/tmp/socket:[1]", "pipe:[5]", "anon_inode:[eventpoll]",
                             "socket:[99999999999999999999]", "/dev/nvidia0", "socket:[1] (deleted)"}) {
    EXPECT_FALSE(socket_inode(target).has_value()) << target;
  }
}

}  // namespace
}  // namespace antifreeze::readings
