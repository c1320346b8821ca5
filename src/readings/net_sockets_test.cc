#include "readings/net_sockets.h"

#include <gtest/gtest.h>

#include <string>

namespace antifreeze::readings {
namespace {

using Inodes = std::vector<std::uint64_t>;

constexpr std::string_view kTcp =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 00000000:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 572 1 0 100 0 0 10 0\n"
    "   1: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 573 1 0 100 0 0 10 0\n"
    "   2: 0100007F:1F40 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 574 1 0 100 0 0 10 0\n"
    "   3: 0F02000A:1F40 0100007F:C001 06 00000000:00000000 03:00000000 00000000     0        0 0 3 0\n"
    "  10: 0F02000A:1F41 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 575 1 0\n";

constexpr std::string_view kTcp6 =
    "  sl  local_address                         remote_address                        st tx_queue rx_queue tr "
    "tm->when "
    "retrnsmt   uid  timeout inode\n"
    "   0: 00000000000000000000000000000000:1F40 00000000000000000000000000000000:0000 0A 00000000:00000000 "
    "00:00000000 "
    "00000000     0        0 601 1 0 100 0 0 10 0\n"
    "   1: 00000000000000000000000001000000:0016 00000000000000000000000000000000:0000 0A 00000000:00000000 "
    "00:00000000 "
    "00000000     0        0 602 1 0 100 0 0 10 0\n"
    "   2: 0000000000000000FFFF00000100007F:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 "
    "00:00000000 "
    "00000000     7        0 603 1 0 100 0 0 10 0\n"
    "   3: B80D0120000000000000000001000000:1F91 00000000000000000000000000000000:0000 0A 00000000:00000000 "
    "00:00000000 "
    "00000000     7        0 604 1 0 100 0 0 10 0\n";

TEST(NetTcp, ReadsAddressesInNetworkOrder) {
  const auto sockets = parse_net_tcp(kTcp);
  ASSERT_EQ(sockets.size(), 5U);
  EXPECT_FALSE(sockets[4].v6);
  EXPECT_EQ(sockets[4].address[0], 10);
  EXPECT_EQ(sockets[4].address[1], 0);
  EXPECT_EQ(sockets[4].address[2], 2);
  EXPECT_EQ(sockets[4].address[3], 15);
  EXPECT_EQ(sockets[4].port, 8001);
  EXPECT_EQ(sockets[4].state, kTcpListen);
  EXPECT_EQ(sockets[4].inode, 575U);
  EXPECT_EQ(sockets[1].uid, 1000U);
}

TEST(NetTcp, ReadsIpv6) {
  const auto sockets = parse_net_tcp(kTcp6);
  ASSERT_EQ(sockets.size(), 4U);
  EXPECT_TRUE(sockets[0].v6);
  EXPECT_EQ(sockets[3].address[0], 0x20);
  EXPECT_EQ(sockets[3].address[1], 0x01);
  EXPECT_EQ(sockets[3].address[2], 0x0d);
  EXPECT_EQ(sockets[3].address[3], 0xb8);
  EXPECT_EQ(sockets[3].address[15], 1);
}

TEST(NetTcp, KnowsAnyAndLoopbackAddresses) {
  const auto v4 = parse_net_tcp(kTcp);
  const auto v6 = parse_net_tcp(kTcp6);
  ASSERT_EQ(v4.size(), 5U);
  ASSERT_EQ(v6.size(), 4U);
  EXPECT_TRUE(is_any_address(v4[0]));
  EXPECT_FALSE(is_loopback(v4[0]));
  EXPECT_TRUE(is_loopback(v4[1]));
  EXPECT_FALSE(is_any_address(v4[4]));
  EXPECT_FALSE(is_loopback(v4[4]));
  EXPECT_TRUE(is_any_address(v6[0]));
  EXPECT_FALSE(is_loopback(v6[0]));
  EXPECT_TRUE(is_loopback(v6[1]));
  EXPECT_TRUE(is_loopback(v6[2])) << "::ffff:127.0.0.1";
  EXPECT_FALSE(is_loopback(v6[3]));
  EXPECT_FALSE(is_any_address(v6[3]));
}

TEST(NetTcp, TwoServersOnOnePortBothShow) {
  EXPECT_EQ(listening_inodes(kTcp, std::uint16_t{8000}), (Inodes{572, 573}));
  EXPECT_EQ(listening_inodes(kTcp6, std::uint16_t{8000}), (Inodes{601}));
  EXPECT_EQ(listening_inodes(kTcp, std::uint16_t{8002}), Inodes{});
}

TEST(NetTcp, SkipsLinesOfAnotherForm) {
  for (const std::string line :
       {"", "   0:", "   0: 00000000:1F40", "   0: 0000000:1F40 0:0 0A 0:0 0:0 0 0 0 5 1",
        "   0: 00000000:11F40 0:0 0A 0:0 0:0 0 0 0 5 1", "   0: 0000000G:1F40 0:0 0A 0:0 0:0 0 0 0 5 1",
        "   0: 00000000:1F40 0:0 10A 0:0 0:0 0 0 0 5 1", "   0: 00000000:1F40 0:0 0A 0:0 0:0 0 -1 0 5 1",
        "   0: 00000000:1F40 0:0 0A 0:0 0:0 0 0 0 x 1", "   0: 00000000:1F40 0:0 0A 0:0 0:0 0 0 0"}) {
    EXPECT_TRUE(parse_net_tcp(line).empty()) << line;
  }
}

constexpr std::string_view kUnix =
    "Num       RefCount Protocol Flags    Type St Inode Path\n"
    "000000006f71111d: 00000003 00000000 00000000 0001 03  1062\n"
    "00000000626d702d: 00000002 00000000 00010000 0001 01 23456 /run/vllm.sock\n"
    "00000000626d702e: 00000003 00000000 00000000 0001 03 23457 /run/vllm.sock\n"
    "00000000626d702f: 00000002 00000000 00010000 0001 01 23458 @abstract name\n"
    "0000000000000000: 00000002 00000000 00010000 0005 01 23459 /with two  blanks \n";

TEST(NetUnix, ReadsEveryColumn) {
  const auto sockets = parse_net_unix(kUnix);
  ASSERT_EQ(sockets.size(), 5U);
  EXPECT_EQ(sockets[0], (UnixSocket{1062, 0, 1, 3, false, ""}));
  EXPECT_EQ(sockets[1], (UnixSocket{23456, 0x10000, 1, 1, true, "/run/vllm.sock"}));
  EXPECT_EQ(sockets[3].path, "@abstract name");
  EXPECT_EQ(sockets[4].path, "/with two  blanks ");
}

TEST(NetUnix, OnlyTheListeningEndCounts) {
  EXPECT_EQ(listening_inodes(kUnix, "/run/vllm.sock"), (Inodes{23456}));
  EXPECT_EQ(listening_inodes(kUnix, "@abstract name"), (Inodes{23458}));
  EXPECT_EQ(listening_inodes(kUnix, "/run/vllm"), Inodes{});
  EXPECT_EQ(listening_inodes(kUnix, ""), Inodes{});
}

TEST(NetUnix, SkipsLinesOfAnotherForm) {
  for (const std::string line :
       {"", "x", "0: 1", "0: 00000002 00000000 00010000 0001 01", "0: 00000002 00000000 0001000G 0001 01 5 /x",
        "0 00000002 00000000 00010000 0001 01 5 /x", "0: 00000002 00000000 00010000 0001 01 -5 /x"}) {
    EXPECT_TRUE(parse_net_unix(line).empty()) << line;
  }
}

}  // namespace
}  // namespace antifreeze::readings
