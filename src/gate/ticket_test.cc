#include "gate/ticket.h"

#include <gtest/gtest.h>

#include "core/crc32c.h"
#include "core/text.h"

namespace antifreeze::gate {
namespace {

Ticket sample() {
  Ticket ticket;
  ticket.state = TicketState::kHolding;
  ticket.service = "chat";
  ticket.priority = 5;
  ticket.domains = {"GPU-a", "GPU-b"};
  ticket.arrival = {123};
  ticket.gather_until = {456};
  ticket.granted = core::MonoTime{7};
  ticket.deadline = core::MonoTime{8};
  ticket.boot_id = "boot";
  ticket.gate_id = "gate";
  ticket.pid_namespace = 4026531836;
  ticket.pid = 42;
  return ticket;
}

TEST(Ticket, ReadsBackWhatItWrote) {
  const auto text = encode_ticket(sample());
  ASSERT_TRUE(text);
  EXPECT_EQ(text->size(), kTicketBytes);
  const auto read = decode_ticket(*text);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->state, TicketState::kHolding);
  EXPECT_EQ(read->service, "chat");
  EXPECT_EQ(read->priority, 5);
  EXPECT_EQ(read->domains, (std::vector<std::string>{"GPU-a", "GPU-b"}));
  EXPECT_EQ(read->arrival.ns, 123);
  EXPECT_EQ(read->deadline->ns, 8);
  EXPECT_EQ(read->pid, 42);
  EXPECT_EQ(*encode_ticket(*read), *text);
}

TEST(Ticket, EveryFlippedByteOfTheRecordIsNoticed) {
  const auto text = *encode_ticket(sample());
  const auto record = text.find('\0');
  for (std::size_t i = 0; i < record - 1; ++i) {
    auto damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(decode_ticket(damaged)) << "byte " << i;
  }
}

TEST(Ticket, RefusesTruncatedEmptyAndOversizedFiles) {
  const auto text = *encode_ticket(sample());
  EXPECT_FALSE(decode_ticket(""));
  EXPECT_FALSE(decode_ticket(std::string_view(text).substr(0, 4095)));
  EXPECT_FALSE(decode_ticket(text + "x"));
  EXPECT_FALSE(decode_ticket(std::string(kTicketBytes, '\0')));
}

TEST(Ticket, AServiceNameCannotForgeALine) {
  auto ticket = sample();
  ticket.service = "x\nstate=D";
  const auto read = decode_ticket(*encode_ticket(ticket));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->state, TicketState::kHolding);
  EXPECT_EQ(read->service, "x?state=D");
}

TEST(Ticket, RefusesPrioritiesOutOfRangeEvenWithAGoodChecksum) {
  auto text = *encode_ticket(sample());
  text.resize(text.find("crc="));
  text.replace(text.find("priority=5"), 10, "priority=50");
  text += "crc=" + core::to_hex(core::crc32c(text), 8) + "\n";
  text.resize(kTicketBytes, '\0');
  EXPECT_FALSE(decode_ticket(text));
}

TEST(Ticket, RefusesMoreDomainsThanFit) {
  auto ticket = sample();
  ticket.domains.assign(100, "GPU-00000000-0000-0000-0000-000000000000");
  EXPECT_FALSE(encode_ticket(ticket));
}

TEST(QueueKey, SortsByArrivalLessAMinuteAStepOfPriority) {
  const core::BootTime now{3'600'000'000'000};
  const auto minute = std::chrono::seconds(60);
  EXPECT_LT(queue_key(now, 0), queue_key(now + std::chrono::milliseconds(1), 0));
  EXPECT_LT(queue_key(now + minute - std::chrono::seconds(1), 1), queue_key(now, 0));
  EXPECT_GT(queue_key(now + minute + std::chrono::seconds(1), 1), queue_key(now, 0));
  // Right after boot the shift is negative.
  EXPECT_LT(queue_key({0}, 10), queue_key({0}, -10));
}

TEST(QueueKey, NamesSortAsKeysDo) {
  const auto first = ticket_name(queue_key({5}, 10), "ffffffff");
  const auto second = ticket_name(queue_key({5}, 0), "00000000");
  EXPECT_LT(first, second);
  EXPECT_EQ(key_of_name(first), queue_key({5}, 10));
}

TEST(QueueKey, OddNamesAreNoTickets) {
  for (const auto* name :
       {"t-", "registry", "t-0000000000000000-0000000", "t-000000000000000G-00000000", "t-0000000000000000_00000000",
        "t-0000000000000000-0000000/", "T-0000000000000000-00000000"}) {
    EXPECT_FALSE(key_of_name(name)) << name;
  }
}

TEST(Domains, HostConflictsWithEverythingAndGpusWithThemselves) {
  EXPECT_TRUE(domains_conflict({"host"}, {"GPU-a"}));
  EXPECT_TRUE(domains_conflict({"GPU-a"}, {"host"}));
  EXPECT_TRUE(domains_conflict({"GPU-a", "GPU-b"}, {"GPU-b"}));
  EXPECT_FALSE(domains_conflict({"GPU-a"}, {"GPU-b"}));
}

}  // namespace
}  // namespace antifreeze::gate
