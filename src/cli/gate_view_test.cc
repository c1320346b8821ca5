#include "cli/gate_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/gate_view_text.h"

namespace antifreeze::cli {
namespace {

using gate::Phase;
using gate::Ticket;
using gate::TicketState;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::int64_t kSecond = 1'000'000'000;

/// Now: 1000 s of boottime, 900 s of monotonic, noon of 2026-03-01.
GateReadings readings() {
  GateReadings in;
  in.path = "/run/antifreeze/gate";
  in.id = "0123456789abcdef";
  in.base = {"boot", {1000 * kSecond}, {1'772'366'400 * kSecond}};
  in.monotonic = {900 * kSecond};
  return in;
}

FoundTicket ticket(TicketState state, std::string service, std::int64_t arrived_s, int priority = 0, bool live = true) {
  Ticket content;
  content.state = state;
  content.service = std::move(service);
  content.priority = priority;
  content.domains = {"host"};
  content.arrival = {arrived_s * kSecond};
  content.gather_until = content.arrival + std::chrono::milliseconds(500);
  content.boot_id = "boot";
  content.pid = 7;
  if (state == TicketState::kHolding || state == TicketState::kCleared) {
    content.granted = core::MonoTime{(arrived_s - 100) * kSecond};
    content.deadline = *content.granted + std::chrono::minutes(16);
  }
  const auto name = gate::ticket_name(gate::queue_key(content.arrival, priority), "0a0a0a0a");
  return {{name, live, content}, {}};
}

LogEvent logged(std::int64_t at_s, std::string service, Phase phase, std::string reason = "") {
  LogEvent event;
  event.boot_id = "boot";
  event.boottime = {at_s * kSecond};
  event.service = std::move(service);
  event.phase = phase;
  event.reason = std::move(reason);
  return event;
}

TEST(GateView, AnIdleGateSaysSo) {
  const auto view = make_gate_view(readings());
  EXPECT_EQ(gate_view_text(view, false),
            "gate     /run/antifreeze/gate  (the host's, id 01234567)\n"
            "state    idle: nothing starts, nothing waits\n");
}

TEST(GateView, ADirectoryGivenByHandIsCalledTrusted) {
  auto in = readings();
  in.id = "";
  const auto view = make_gate_view(in);
  EXPECT_THAT(gate_view_text(view, false), HasSubstr("trusted: given by hand"));
  EXPECT_EQ(gate_view_json(view)["mode"], "trusted");
}

TEST(GateView, ShowsHolderAndQueueInOrderOfService) {
  auto in = readings();
  in.tickets = {ticket(TicketState::kWaiting, "late", 995), ticket(TicketState::kWaiting, "vip", 996, 5),
                ticket(TicketState::kHolding, "chat", 980)};
  in.tickets[2].host_pids = {41, 42};
  in.log.events = {logged(980, "chat", Phase::kQueued), logged(985, "chat", Phase::kStarting)};
  EXPECT_EQ(gate_view_text(make_gate_view(in), false),
            "gate     /run/antifreeze/gate  (the host's, id 01234567)\n"
            "holder   chat           starting, gate held for 20.0s, at most 15m40s more  [host, pid 41+42]\n"
            "queue    1 vip            waits for 4.0s  [host, priority 5, pid 7 in its container]\n"
            "         2 late           waits for 5.0s  [host, pid 7 in its container]\n");
}

TEST(GateView, SortsTheDeadTheOverdueAndTheUnreadableOut) {
  auto in = readings();
  auto overdue = ticket(TicketState::kHolding, "frozen", 500);
  overdue.seen.ticket->deadline = core::MonoTime{899 * kSecond};
  auto unreadable = ticket(TicketState::kHolding, "x", 999);
  unreadable.seen.ticket.reset();
  in.tickets = {overdue, unreadable, ticket(TicketState::kHolding, "crashed", 990, 0, false),
                ticket(TicketState::kWaiting, "gone", 991, 0, false), ticket(TicketState::kDone, "leaving", 992)};
  const auto view = make_gate_view(in);
  ASSERT_THAT(view.holders, SizeIs(1));
  EXPECT_TRUE(view.holders[0].overdue);
  ASSERT_THAT(view.wrecks, SizeIs(1));
  EXPECT_EQ(view.wrecks[0].service, "crashed");
  EXPECT_THAT(view.unreadable, SizeIs(1));
  EXPECT_THAT(view.queue, IsEmpty());
  const auto text = gate_view_text(view, false);
  EXPECT_THAT(text, HasSubstr("OVERDUE"));
  EXPECT_THAT(text, HasSubstr("crashed        died while it started"));
  EXPECT_THAT(text, HasSubstr("counts as a holder of everything"));
  EXPECT_THAT(text, Not(HasSubstr("gone")));
}

gate::BreakerRecord failed(std::string service) {
  gate::BreakerRecord record;
  record.service = std::move(service);
  record.boot_id = "boot";
  record.failures_in_a_row = 5;
  record.memory_before = {40ull << 30, 39ull << 30, 38ull << 30};
  return record;
}

TEST(GateView, ShowsHeldServicesWithReasonAndLostMemory) {
  auto in = readings();
  auto record = failed("ocr");
  record.hold = gate::BreakerHold{{{940 * kSecond}, {}}, std::nullopt, "5 failed starts in 30m"};
  in.breakers = {record};
  const auto view = make_gate_view(in);
  const auto text = gate_view_text(view, false);
  EXPECT_THAT(text, HasSubstr("held     ocr            held for 1m00s, 5 failures: 5 failed starts in 30m\n"));
  EXPECT_THAT(text, HasSubstr("1 GiB per attempt"));
  EXPECT_THAT(text, HasSubstr("'antifreeze gate reset NAME'"));
  const auto json = gate_view_json(view);
  EXPECT_EQ(json["held"][0]["state"], "held");
  EXPECT_EQ(json["held"][0]["since"], "2026-03-01T11:59:00.000Z");
  EXPECT_EQ(json["held"][0]["memory_lost_per_attempt_bytes"], 1u << 30);
  EXPECT_FALSE(json["held"][0].contains("until"));
}

TEST(GateView, AHoldWhoseTimeIsUpIsNone) {
  auto in = readings();
  auto record = failed("ocr");
  record.hold = gate::BreakerHold{{{940 * kSecond}, {}}, core::Nanos(std::chrono::seconds(59)), "x"};
  in.breakers = {record};
  EXPECT_THAT(make_gate_view(in).held, IsEmpty());
}

TEST(GateView, TellsABackOffByTheServicesOwnLastWord) {
  auto in = readings();
  in.breakers = {failed("ocr"), failed("chat")};
  in.log.events = {logged(990, "ocr", Phase::kHeld, "failed 2 times in a row, waiting 20s"),
                   logged(991, "chat", Phase::kReady)};
  const auto view = make_gate_view(in);
  ASSERT_THAT(view.held, SizeIs(1));
  EXPECT_EQ(view.held[0].state, HeldState::kBackingOff);
  EXPECT_THAT(gate_view_text(view, false),
              HasSubstr("back-off ocr            backs off for 10.0s, 5 failures: failed 2"));
}

TEST(GateView, AServiceThatWaitsForMemoryIsNotIdle) {
  auto in = readings();
  auto queued = logged(980, "ocr", Phase::kQueued);
  queued.ticket = "t-0000000000000000-0a0a0a0a";
  in.log.events = {queued, logged(990, "ocr", Phase::kQueued, "memory is short: needs 40 GiB, 10 GiB available")};
  const auto view = make_gate_view(in);
  ASSERT_THAT(view.held, SizeIs(1));
  EXPECT_EQ(gate_view_text(view, false),
            "gate     /run/antifreeze/gate  (the host's, id 01234567)\n"
            "state    free: nobody holds the gate\n"
            "memory   ocr            waits for memory for 10.0s: memory is short: needs 40 GiB, 10 GiB available\n");
  const auto json = gate_view_json(view);
  EXPECT_EQ(json["held"][0]["state"], "waiting_for_memory");
  EXPECT_EQ(json["held"][0]["reason"], "memory is short: needs 40 GiB, 10 GiB available");
}

TEST(GateView, WhoQueuesAgainOrIsGoneDoesNotWaitForMemory) {
  auto in = readings();
  in.log.events = {logged(980, "queues", Phase::kQueued, "memory is short"),
                   logged(981, "killed", Phase::kQueued, "memory is short"),
                   logged(982, "back", Phase::kQueued, "memory is short"), logged(983, "back", Phase::kQueued)};
  in.log.events.back().ticket = "t-0000000000000000-0a0a0a0a";
  in.tickets = {ticket(TicketState::kWaiting, "queues", 995)};
  in.gone = {"killed"};
  EXPECT_THAT(make_gate_view(in).held, IsEmpty());
}

TEST(GateView, ABackOffWhoseWrapperIsGoneIsNone) {
  auto in = readings();
  in.breakers = {failed("ocr")};
  in.log.events = {logged(990, "ocr", Phase::kHeld, "failed 2 times in a row, waiting 20s")};
  EXPECT_THAT(make_gate_view(in).held, SizeIs(1));
  in.gone = {"ocr"};
  EXPECT_THAT(make_gate_view(in).held, IsEmpty());
}

TEST(GateView, ASafeBootHoldsServicesThatNeverFailed) {
  auto in = readings();
  in.log.events = {logged(990, "chat", Phase::kHeld, "safe boot: 3 boots ended without a shutdown")};
  auto clean = failed("chat");
  clean.failures_in_a_row = 0;
  in.breakers = {clean};
  EXPECT_THAT(make_gate_view(in).held, IsEmpty()) << "its record is clean and nothing else holds it";
  in.safe_boot = "3 boots ended without a shutdown";
  const auto view = make_gate_view(in);
  ASSERT_THAT(view.held, SizeIs(1));
  EXPECT_EQ(view.held[0].state, HeldState::kHeld);
  EXPECT_THAT(gate_view_text(view, false), Not(HasSubstr("gate reset NAME"))) << "that would not help";
}

TEST(GateView, TimesOfAForgedTicketDoNotOverflow) {
  auto in = readings();
  auto forged = ticket(TicketState::kHolding, "x", 990);
  forged.seen.ticket->granted = core::MonoTime{0};
  forged.seen.ticket->deadline = core::MonoTime{INT64_MAX};
  auto waiting = ticket(TicketState::kWaiting, "y", 990);
  waiting.seen.ticket->arrival = {INT64_MAX};
  in.tickets = {forged, waiting};
  const auto view = make_gate_view(in);
  EXPECT_FALSE(gate_view_text(view, false).empty());
  EXPECT_EQ(gate_view_json(view)["queue"].size(), 1U);
}

TEST(GateView, ShowsPauseAndSafeBootFirst) {
  auto in = readings();
  in.pause =
      gate::ActivePause{{"boot", {990 * kSecond}, {1060 * kSecond}, "driver\nupdate", "uid 0"}, {1060 * kSecond}};
  in.safe_boot = "3 boots ended without a shutdown within 1h";
  const auto view = make_gate_view(in);
  const auto text = gate_view_text(view, false);
  EXPECT_THAT(text, HasSubstr("boot     SAFE BOOT: 3 boots"));
  EXPECT_THAT(text, HasSubstr("PAUSED   for 1m00s more, until 2026-03-01T12:01:00.000Z: driver?update (uid 0)\n"));
  const auto json = gate_view_json(view);
  EXPECT_EQ(json["paused"], true);
  EXPECT_EQ(json["pause"]["until_boottime_ns"], 1060 * kSecond);
  EXPECT_EQ(json["safe_boot"], true);
}

TEST(GateView, ReadyServicesComeFromThisBootsLogOnly) {
  auto in = readings();
  in.log.events = {logged(100, "old", Phase::kReady), logged(400, "chat", Phase::kReady),
                   logged(500, "embed", Phase::kReady), logged(600, "embed", Phase::kExited)};
  in.log.events[0].boot_id = "another";
  in.log.garbage = 2;
  const auto view = make_gate_view(in);
  const auto text = gate_view_text(view, false);
  EXPECT_THAT(text, HasSubstr("ready    chat           for 10m00s, as the log says\n"));
  EXPECT_THAT(text, Not(HasSubstr("embed")));
  EXPECT_THAT(text, Not(HasSubstr("old")));
  EXPECT_THAT(text, HasSubstr("log      2 lines are no events"));
  EXPECT_EQ(gate_view_json(view)["services"].size(), 2U);
}

TEST(GateView, RepeatedQueuedLinesAreOneState) {
  auto in = readings();
  in.log.events = {logged(100, "chat", Phase::kQueued), logged(400, "chat", Phase::kQueued)};
  EXPECT_EQ(make_gate_view(in).services.front().since.ns, 100 * kSecond);
}

}  // namespace
}  // namespace antifreeze::cli
