#include "gate/gate_dir.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/event_log.h"
#include "gate/own_ticket.h"
#include "host/dir.h"
#include "host/fake/temp_dir.h"

namespace antifreeze::gate {
namespace {

constexpr core::BootTime kNow{1'000'000'000'000};

Ticket content() {
  Ticket ticket;
  ticket.service = "chat";
  ticket.domains = {"host"};
  ticket.boot_id = "boot";
  return ticket;
}

class GateDirTest : public ::testing::Test {
 protected:
  GateDir open() {
    auto dir = GateDir::open({temp_.path() + "/gate", false});
    EXPECT_TRUE(dir) << dir.error().message();
    return std::move(*dir);
  }
  std::string path(const std::string& name) { return temp_.path() + "/gate/" + name; }
  void put(const std::string& name, const std::string& text) {
    const core::Fd fd(::open(path(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644));
    ASSERT_TRUE(host::write_all(fd.get(), text));
  }
  OwnTicket published(const GateDir& dir, core::BootTime at = kNow) {
    auto ticket = OwnTicket::create(dir, content(), at);
    EXPECT_TRUE(ticket);
    const auto lock = dir.try_lock_registry();
    EXPECT_TRUE(lock && *lock);
    EXPECT_TRUE(ticket->publish(**lock, at, 0));
    return std::move(*ticket);
  }

  host::fake::TempDir temp_;
};

TEST_F(GateDirTest, MakesADirectoryGivenByHandAndTrustsIt) {
  const auto dir = open();
  EXPECT_TRUE(dir.trusted());
  struct stat info{};
  ASSERT_EQ(::stat((temp_.path() + "/gate").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 01777U);
}

TEST_F(GateDirTest, DemandsTheHostsMarkerAndSaysWhatToDo) {
  const auto missing = GateDir::open({temp_.path() + "/none", true});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message().find("does not exist; run 'antifreeze gate setup'"), std::string::npos);
  open();
  const auto unmarked = GateDir::open({temp_.path() + "/gate", true});
  ASSERT_FALSE(unmarked);
  EXPECT_NE(unmarked.error().message().find("has no gate.id"), std::string::npos);
}

TEST_F(GateDirTest, RefusesALinkInPlaceOfTheDirectory) {
  open();
  ASSERT_EQ(::symlink((temp_.path() + "/gate").c_str(), (temp_.path() + "/link").c_str()), 0);
  EXPECT_FALSE(GateDir::open({temp_.path() + "/link", false}));
}

TEST_F(GateDirTest, RefusesALinkInPlaceOfTheRegistry) {
  open();
  ASSERT_EQ(::unlink(path("registry").c_str()), 0);
  ASSERT_EQ(::symlink("/etc/passwd", path("registry").c_str()), 0);
  const auto dir = GateDir::open({temp_.path() + "/gate", false});
  ASSERT_FALSE(dir);
  EXPECT_EQ(dir.error().code(), core::ErrorCode::kTampered);
}

TEST_F(GateDirTest, OnlyOneHasTheRegistry) {
  const auto dir = open();
  const auto first = dir.try_lock_registry();
  ASSERT_TRUE(first && *first);
  const auto second = dir.try_lock_registry();
  ASSERT_TRUE(second);
  EXPECT_FALSE(*second);
}

TEST_F(GateDirTest, AReplacedRegistryIsNoLongerCurrent) {
  const auto dir = open();
  const auto lock = dir.try_lock_registry();
  ASSERT_TRUE(lock && *lock);
  EXPECT_TRUE((*lock)->is_current());
  ASSERT_TRUE(dir.replace_registry());
  EXPECT_FALSE((*lock)->is_current());
  const auto fresh = dir.try_lock_registry();
  ASSERT_TRUE(fresh);
  EXPECT_TRUE(*fresh);
}

TEST_F(GateDirTest, ListsLiveDeadAndUnreadableTickets) {
  const auto dir = open();
  const auto live = published(dir);
  std::string dead_name;
  {
    const auto dead = published(dir, kNow + std::chrono::seconds(1));
    dead_name = dead.name();
  }
  put("t-0000000000000001-00000000", "garbage");
  put("t-odd", "ignored");
  ASSERT_EQ(::mkfifo(path("t-0000000000000002-00000000").c_str(), 0644), 0);
  ASSERT_EQ(::symlink("/etc/passwd", path("t-0000000000000003-00000000").c_str()), 0);
  const auto listing = dir.list("", kNow);
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->tickets.size(), 3U);
  EXPECT_FALSE(listing->tickets[0].ticket);
  EXPECT_FALSE(listing->tickets[0].live);
  EXPECT_EQ(listing->tickets[1].name, live.name());
  EXPECT_TRUE(listing->tickets[1].live);
  EXPECT_EQ(listing->tickets[2].name, dead_name);
  EXPECT_FALSE(listing->tickets[2].live);
  EXPECT_EQ(listing->tickets[2].ticket->service, "chat");
}

TEST_F(GateDirTest, AReleasedTicketIsGone) {
  const auto dir = open();
  auto ticket = published(dir);
  ASSERT_TRUE(ticket.release());
  EXPECT_TRUE(dir.list("", kNow)->tickets.empty());
}

TEST_F(GateDirTest, ARemovedTicketIsNoticedAndPublishedAnew) {
  const auto dir = open();
  auto ticket = published(dir);
  EXPECT_TRUE(ticket.is_linked());
  const auto old_name = ticket.name();
  ASSERT_EQ(::unlink(path(old_name).c_str()), 0);
  EXPECT_FALSE(ticket.is_linked());
  const auto lock = dir.try_lock_registry();
  ASSERT_TRUE(lock && *lock);
  ASSERT_TRUE(ticket.republish(**lock, kNow));
  EXPECT_TRUE(ticket.is_linked());
  EXPECT_EQ(key_of_name(ticket.name()), key_of_name(old_name));
  EXPECT_NE(ticket.name(), old_name);
}

TEST_F(GateDirTest, RefusesAFloodOfTickets) {
  const auto dir = open();
  auto ticket = OwnTicket::create(dir, content(), kNow);
  ASSERT_TRUE(ticket);
  const auto lock = dir.try_lock_registry();
  const auto refused = ticket->publish(**lock, kNow, kMaxTickets);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), core::ErrorCode::kFull);
  EXPECT_TRUE(dir.list("", kNow)->tickets.empty());
}

TEST_F(GateDirTest, HalfMadeTicketsOfDeadMakersAreStraysAfterAMinute) {
  const auto dir = open();
  {
    const auto ticket = OwnTicket::create(dir, content(), kNow);
    ASSERT_TRUE(ticket);
    // Its maker lives and may be waiting for the registry.
    EXPECT_TRUE(dir.list("", kNow + std::chrono::seconds(61))->strays.empty());
  }
  EXPECT_TRUE(dir.list("", kNow + std::chrono::seconds(10))->strays.empty());
  EXPECT_EQ(dir.list("", kNow + std::chrono::seconds(61))->strays.size(), 1U);
}

TEST_F(GateDirTest, TheEventLogRotatesAndStaysBounded) {
  const auto dir = open();
  Event event;
  event.service = "chat";
  event.domain = "host";
  const std::string reason(1000, 'x');
  event.reason = reason;
  for (int i = 0; i < 2500; ++i) ASSERT_TRUE(append_event(dir, event));
  struct stat now{};
  struct stat old{};
  ASSERT_EQ(::stat(path("log.jsonl").c_str(), &now), 0);
  ASSERT_EQ(::stat(path("log.1.jsonl").c_str(), &old), 0);
  EXPECT_LT(now.st_size, static_cast<off_t>(kEventLogBytes + 4096));
  EXPECT_LT(old.st_size, static_cast<off_t>(kEventLogBytes + 4096));
}

TEST_F(GateDirTest, TheEventLogIsNotWrittenThroughALink) {
  const auto dir = open();
  put("../victim", "");
  ASSERT_EQ(::symlink((temp_.path() + "/victim").c_str(), path("log.jsonl").c_str()), 0);
  EXPECT_FALSE(append_event(dir, Event()));
  struct stat info{};
  ASSERT_EQ(::stat((temp_.path() + "/victim").c_str(), &info), 0);
  EXPECT_EQ(info.st_size, 0);
}

TEST(EventLine, LeavesOutWhatIsUnknown) {
  Event event;
  event.boot_id = "b";
  event.boottime = {5};
  event.service = "a\"b";
  event.domain = "host";
  event.phase = Phase::kReady;
  event.pid = 7;
  EXPECT_EQ(event_line(event),
            R"({"boot_id":"b","boottime_ns":5,"service":"a\"b","domain":"host","state":"ready","reason":"","pid":7})");
}

TEST(GateDir, SaysThatItMadeTheDirectory) {
  const host::fake::TempDir parent;
  const GateDirOptions options{parent.path() + "/new", false};
  const auto first = GateDir::open(options);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->made());
  const auto second = GateDir::open(options);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->made());
}

TEST(GateDir, WhoeverOnlyLooksMakesNothing) {
  const host::fake::TempDir parent;
  const auto missing = GateDir::open({parent.path() + "/none", false, true});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), core::ErrorCode::kNotFound);
  EXPECT_TRUE(GateDir::open({parent.path(), false, true}));
  const auto names = host::list_names(parent.fd(), 8);
  ASSERT_TRUE(names);
  EXPECT_TRUE(names->names.empty());
}

TEST(CheckGatePath, RefusesWhatCanOnlyBeASlip) {
  EXPECT_TRUE(check_gate_path("/run/antifreeze/gate"));
  EXPECT_TRUE(check_gate_path("relative/~x"));
  EXPECT_FALSE(check_gate_path(""));
  EXPECT_FALSE(check_gate_path("~"));
  EXPECT_FALSE(check_gate_path("~user/gate"));
}

}  // namespace
}  // namespace antifreeze::gate
