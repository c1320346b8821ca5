#include "host/socket_owner.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "host/fake/child_process.h"
#include "host/fake/loopback_server.h"
#include "host/fake/scripted_proc_tree.h"
#include "host/fake/temp_dir.h"

namespace antifreeze::host {
namespace {

using fake::ScriptedProcTree;

ProbeAddress tcp(const std::string& text) { return parse_tcp_target(text)->addresses[0]; }

readings::InetSocket listener(const std::string& address, std::uint64_t inode) {
  const auto at = tcp(address);
  readings::InetSocket socket;
  socket.v6 = at.family == ProbeAddress::Family::kIpv6;
  socket.address = at.ip;
  socket.port = at.port;
  socket.state = readings::kTcpListen;
  socket.inode = inode;
  return socket;
}
readings::InetSocket any_v4(std::uint64_t inode) {
  auto socket = listener("127.0.0.1:8000", inode);
  socket.address = {};
  return socket;
}
readings::InetSocket any_v6(std::uint64_t inode) {
  auto socket = any_v4(inode);
  socket.v6 = true;
  return socket;
}

/// 10 is the engine's front, 11 its child, 50 a stranger.
class Owner : public ::testing::Test {
 protected:
  Owner() {
    tree_.add(10, 1);
    tree_.add(11, 10);
    tree_.add(50, 1).sockets = {500};
  }
  void expect(SocketOwner owner, std::size_t own, std::size_t others, const std::string& at = "127.0.0.1:8000",
              const std::vector<std::uint64_t>& baseline = {}) {
    const auto found = who_listens(tree_, 10, tcp(at), baseline);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(to_string(found->owner), to_string(owner));
    EXPECT_EQ(found->own, own);
    EXPECT_EQ(found->others, others);
  }
  ScriptedProcTree tree_;
};

TEST_F(Owner, NobodyListens) {
  tree_.listen(8000, std::vector<readings::InetSocket>{});
  expect(SocketOwner::kNobody, 0, 0);
}

TEST_F(Owner, AChildOfTheTreeListens) {
  tree_.listen(8000, 111);
  tree_.at(11).sockets = {7, 111};
  expect(SocketOwner::kOwn, 1, 0);
}

TEST_F(Owner, AStrangerListensThoughItAppearedSinceExec) {
  tree_.listen(8000, 500);
  expect(SocketOwner::kForeign, 0, 1);
}

TEST_F(Owner, BothListenWithReusePort) {
  tree_.listen(8000, 500);
  tree_.listen(8000, 111);
  tree_.at(11).sockets = {111};
  expect(SocketOwner::kOwn, 1, 1);
}

TEST_F(Owner, UnreadableTreeNeedsASocketThatWasNotThereBefore) {
  tree_.listen(8000, 111);
  tree_.at(11).sockets = {111};
  tree_.at(11).readable = false;
  expect(SocketOwner::kAppearedUnreadable, 0, 1);
  expect(SocketOwner::kForeign, 0, 1, "127.0.0.1:8000", {111});
}

TEST_F(Owner, AProcessThatEndedMeanwhileDoesNotMakeTheTreeUnreadable) {
  tree_.listen(8000, 500);
  tree_.remove(10);
  expect(SocketOwner::kForeign, 0, 1);
}

TEST_F(Owner, ForeignSocketOnTheVeryAddressHidesOurWildcard) {
  tree_.listen(8000, {any_v4(111), listener("127.0.0.1:8000", 500)});
  tree_.at(11).sockets = {111};
  expect(SocketOwner::kForeign, 0, 1);
  tree_.listen(8000, {any_v4(111), listener("10.0.0.1:8000", 500)});
  expect(SocketOwner::kOwn, 1, 0);
}

TEST_F(Owner, Ipv6WildcardTakesIpv4ButNotTheOtherWayRound) {
  tree_.at(11).sockets = {111};
  tree_.listen(8000, {any_v6(111)});
  expect(SocketOwner::kOwn, 1, 0);
  tree_.listen(8000, {any_v4(111)});
  expect(SocketOwner::kNobody, 0, 0, "[::1]:8000");
}

TEST_F(Owner, MappedAddressIsTheIpv4One) {
  tree_.at(11).sockets = {111};
  tree_.listen(8000, {listener("[::ffff:127.0.0.1]:8000", 111)});
  expect(SocketOwner::kOwn, 1, 0);
}

TEST_F(Owner, UnixSocketsAreJudgedTheSameWay) {
  tree_.listen("/run/x", std::vector<std::uint64_t>{111});
  tree_.at(10).sockets = {111};
  const auto found = who_listens(tree_, 10, parse_unix_target("/run/x")->addresses[0], {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->owner, SocketOwner::kOwn);
}

TEST_F(Owner, FailsWhenTheTablesCannotBeRead) { EXPECT_FALSE(who_listens(tree_, 10, tcp("127.0.0.1:1"), {})); }

TEST(RealOwner, TellsAChildsSocketFromOurs) {
  const auto tree = RealProcTree::open();
  ASSERT_TRUE(tree);
  const fake::ChildProcess child([](auto say) {
    const fake::LoopbackServer server;
    say(std::to_string(server.port()));
    for (;;) ::pause();
  });
  const auto of_child = tcp("127.0.0.1:" + child.hear());
  const auto own = who_listens(**tree, child.pid(), of_child, {});
  ASSERT_TRUE(own);
  EXPECT_EQ(own->owner, SocketOwner::kOwn);
  const fake::LoopbackServer ours;
  const auto foreign = who_listens(**tree, child.pid(), tcp(ours.address()), {});
  ASSERT_TRUE(foreign);
  EXPECT_EQ(foreign->owner, SocketOwner::kForeign);
  EXPECT_EQ(listening_at(**tree, tcp(ours.address()))->size(), 1u);
}

}  // namespace
}  // namespace antifreeze::host
