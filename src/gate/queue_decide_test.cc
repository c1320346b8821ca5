#include "gate/queue_decide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace antifreeze::gate {
namespace {

constexpr core::BootTime kNow{1'000'000'000'000};
constexpr core::MonoTime kMono{900'000'000'000};

Ticket waiting(std::vector<std::string> domains = {"host"}) {
  Ticket ticket;
  ticket.domains = std::move(domains);
  ticket.boot_id = "this";
  return ticket;
}
Ticket holding(std::vector<std::string> domains = {"host"}) {
  auto ticket = waiting(std::move(domains));
  ticket.state = TicketState::kHolding;
  ticket.granted = kMono;
  ticket.deadline = kMono + std::chrono::minutes(20);
  return ticket;
}
std::string name_at(int position) {
  return ticket_name(queue_key(kNow, 0) + static_cast<std::uint64_t>(position), "00000000");
}

/// A decision for the ticket at position 10 of the queue.
struct Case {
  Ticket own = waiting();
  std::vector<SeenTicket> others;
  std::set<std::string> passed_over;
  std::optional<core::BootTime> paused;
  core::BootTime now = kNow;
  core::MonoTime mono = kMono;

  QueueDecision decide() const {
    return decide_turn({name_at(10), own, others, now, mono, "this", passed_over, paused});
  }
};

TEST(Decide, AloneIsGranted) { EXPECT_EQ(Case().decide().turn, Turn::kGranted); }

TEST(Decide, WaitsForAHolderWhateverItsName) {
  Case c;
  c.others = {{name_at(99), true, holding()}};
  const auto decision = c.decide();
  EXPECT_EQ(decision.turn, Turn::kBlocked);
  EXPECT_EQ(decision.blocker, 0U);
}

TEST(Decide, WaitsForEarlierWaitersOnly) {
  Case c;
  c.others = {{name_at(11), true, waiting()}};
  EXPECT_EQ(c.decide().turn, Turn::kGranted);
  c.others = {{name_at(9), true, waiting()}};
  EXPECT_EQ(c.decide().turn, Turn::kBlocked);
}

TEST(Decide, SleepsOnTheNearestWaiterSoThatAReleaseWakesOne) {
  Case c;
  c.others = {{name_at(1), true, waiting()}, {name_at(99), true, holding()}, {name_at(9), true, waiting()}};
  const auto decision = c.decide();
  EXPECT_EQ(decision.blocker, 2U);
  EXPECT_EQ(decision.ahead, 3U);
}

TEST(Decide, DisjointGpusDoNotWaitForEachOtherButForTheHost) {
  Case c;
  c.own = waiting({"GPU-a"});
  c.others = {{name_at(1), true, holding({"GPU-b"})}};
  EXPECT_EQ(c.decide().turn, Turn::kGranted);
  c.others = {{name_at(1), true, holding({"host"})}};
  EXPECT_EQ(c.decide().turn, Turn::kBlocked);
}

TEST(Decide, DeadWaitersAndReleasedTicketsAreRubbish) {
  Case c;
  auto done = holding();
  done.state = TicketState::kDone;
  c.others = {{name_at(1), false, waiting()}, {name_at(2), false, done}};
  const auto decision = c.decide();
  EXPECT_EQ(decision.turn, Turn::kGranted);
  EXPECT_EQ(decision.rubbish.size(), 2U);
  EXPECT_TRUE(decision.wrecks.empty());
}

TEST(Decide, ADeadHolderIsAWreckUntilItsDeadline) {
  Case c;
  c.others = {{name_at(1), false, holding()}};
  EXPECT_EQ(c.decide().wrecks.size(), 1U);
  EXPECT_EQ(c.decide().turn, Turn::kGranted);
  c.mono = kMono + std::chrono::minutes(21);
  EXPECT_TRUE(c.decide().wrecks.empty());
}

TEST(Decide, AWrecksForgedDeadlineCountsNoLongerThanTheLongestHold) {
  Case c;
  c.others = {{name_at(1), false, holding()}};
  c.others[0].ticket->deadline = core::MonoTime{INT64_MAX};
  EXPECT_EQ(c.decide().wrecks.size(), 1U);
  c.mono = kMono + kLongestHold;
  EXPECT_EQ(c.decide().wrecks.size(), 1U);
  c.mono = kMono + kLongestHold + core::Nanos(1);
  EXPECT_EQ(c.decide().wrecks.size(), 0U);
  EXPECT_EQ(c.decide().rubbish.size(), 1U);
  c.others[0].ticket->deadline.reset();
  EXPECT_EQ(c.decide().rubbish.size(), 1U) << "nor does a missing one";
}

TEST(Decide, AHoldWithoutAGrantIsBoundedByTheArrivalInItsName) {
  for (const bool live : {false, true}) {
    Case c;
    c.others = {{name_at(1), live, holding()}};
    c.others[0].ticket->granted.reset();
    c.others[0].ticket->deadline = core::MonoTime{INT64_MAX};
    const auto counts = [&] { return live ? c.decide().turn == Turn::kBlocked : c.decide().wrecks.size() == 1; };
    EXPECT_TRUE(counts());
    c.now = kNow + kLongestHold + std::chrono::minutes(11);
    EXPECT_FALSE(counts());
    c.now = kNow;
    for (const char* name :
         {"t-ffffffffffffffff-00000000", "t-9000000000000000-00000000", "t-7000000000000000-0a0a0a0a"}) {
      c.others[0].name = name;  // no honest ticket arrives in the future, or centuries ago
      EXPECT_FALSE(counts()) << name;
    }
  }
}

TEST(Decide, AWreckOfDisjointGpusIsSomebodyElses) {
  Case c;
  c.own = waiting({"GPU-a"});
  c.others = {{name_at(1), false, holding({"GPU-b"})}};
  const auto decision = c.decide();
  EXPECT_TRUE(decision.wrecks.empty());
  EXPECT_TRUE(decision.rubbish.empty());
}

TEST(Decide, AHolderOfAnEarlierBootIsRubbish) {
  Case c;
  auto old = holding();
  old.boot_id = "earlier";
  c.others = {{name_at(1), false, old}};
  EXPECT_EQ(c.decide().rubbish.size(), 1U);
}

TEST(Decide, AFrozenHolderIsIgnoredAfterItsDeadlineAndNamed) {
  Case c;
  c.others = {{name_at(1), true, holding()}};
  c.mono = kMono + std::chrono::minutes(21);
  const auto decision = c.decide();
  EXPECT_EQ(decision.turn, Turn::kGranted);
  EXPECT_EQ(decision.overdue.size(), 1U);
}

TEST(Decide, NoDeadlineHoldsForMoreThanADay) {
  Case c;
  auto forged = holding();
  forged.deadline = kMono + std::chrono::hours(24 * 365);
  c.others = {{name_at(1), true, forged}};
  EXPECT_EQ(c.decide().turn, Turn::kBlocked);
  c.mono = kMono + std::chrono::hours(25);
  EXPECT_EQ(c.decide().turn, Turn::kGranted);
}

TEST(Decide, ARenewedHoldMayLastForDays) {
  Case c;
  c.mono = kMono + std::chrono::hours(72);
  auto renewed = holding();
  renewed.granted = c.mono - std::chrono::seconds(30);
  renewed.deadline = *renewed.granted + std::chrono::minutes(10);
  c.others = {{name_at(1), true, renewed}};
  EXPECT_EQ(c.decide().turn, Turn::kBlocked);
}

TEST(Decide, AnUnreadableLiveTicketHoldsEverythingForAboutHalfAnHour) {
  Case c;
  c.own = waiting({"GPU-a"});
  c.others = {{name_at(1), true, std::nullopt}};
  EXPECT_EQ(c.decide().turn, Turn::kBlocked);
  EXPECT_EQ(c.decide().unreadable.size(), 1U);
  c.now = kNow + std::chrono::minutes(41);
  EXPECT_EQ(c.decide().turn, Turn::kGranted);
}

TEST(Decide, AnUnreadableTicketFromTheFutureIsNobodys) {
  Case c;
  c.others = {{ticket_name(queue_key(kNow + std::chrono::hours(10), 0), "00000000"), true, std::nullopt}};
  EXPECT_EQ(c.decide().turn, Turn::kGranted);
}

TEST(Decide, GathersBeforeItGoes) {
  Case c;
  c.own.gather_until = kNow + std::chrono::milliseconds(500);
  EXPECT_EQ(c.decide().turn, Turn::kGathering);
  EXPECT_EQ(c.decide().retry_at, c.own.gather_until);
  c.now = c.own.gather_until;
  EXPECT_EQ(c.decide().turn, Turn::kGranted);
}

TEST(Decide, APauseHoldsEverybodyUntilItIsOver) {
  Case c;
  c.paused = kNow + std::chrono::seconds(5);
  EXPECT_EQ(c.decide().turn, Turn::kPaused);
  c.now = *c.paused;
  EXPECT_EQ(c.decide().turn, Turn::kGranted);
}

TEST(Decide, NamesWaitersThatCouldGo) {
  Case c;
  auto gathering = waiting();
  gathering.gather_until = kNow + std::chrono::seconds(1);
  c.others = {{name_at(1), true, waiting()}, {name_at(2), true, waiting()}, {name_at(3), true, gathering}};
  EXPECT_EQ(c.decide().could_go, std::vector{name_at(1)});
  c.passed_over = {name_at(1)};
  EXPECT_EQ(c.decide().could_go, (std::vector{name_at(1), name_at(2)}));
  EXPECT_EQ(c.decide().blocker, 2U);
}

TEST(Decide, NobodyGathersForEver) {
  Case c;
  auto forged = waiting();
  forged.gather_until = kNow + std::chrono::hours(24 * 365);
  c.others = {{name_at(1), true, forged}};
  EXPECT_TRUE(c.decide().could_go.empty());
  c.now = kNow + std::chrono::minutes(12);
  EXPECT_EQ(c.decide().could_go.size(), 1U);
}

TEST(Decide, AWaiterBehindAHolderCouldNotGo) {
  Case c;
  c.others = {{name_at(1), true, waiting()}, {name_at(99), true, holding()}};
  EXPECT_TRUE(c.decide().could_go.empty());
}

TEST(Gather, IsLongerRightAfterBoot) {
  EXPECT_EQ(default_gather({10'000'000'000}), core::Nanos(std::chrono::seconds(3)));
  EXPECT_EQ(default_gather({500'000'000'000}), core::Nanos(std::chrono::milliseconds(500)));
}

/// A queue of processes that only ever look and are granted or not, in random order, with random deaths. One round:
/// random overlapping sets of GPUs (vllm-omni 4894, 7290); nobody may hold what another holds, and everybody gets in.
class Simulation {
 public:
  explicit Simulation(std::uint32_t seed) : random_(seed) {}

  void run() {
    static const std::vector<std::vector<std::string>> kSets{{"GPU-0", "GPU-1"}, {"GPU-1"}, {"GPU-1", "GPU-2"},
                                                             {"GPU-0"},          {"host"},  {"GPU-2"}};
    const auto servers = 2 + random_() % 6;
    for (std::uint32_t i = 0; i < servers; ++i) {
      SeenTicket seen{ticket_name(queue_key(kNow + core::Nanos(i), static_cast<int>(random_() % 21) - 10),
                                  "0000000" + std::to_string(i)),
                      true, waiting(kSets[random_() % kSets.size()])};
      tickets_[seen.name] = seen;
    }
    // Each step lets one random live process move; the bound is far beyond what a queue without deadlock needs.
    for (int step = 0; !tickets_.empty(); ++step) {
      ASSERT_LT(step, 2000) << "somebody never got in";
      auto it = tickets_.begin();
      std::advance(it, static_cast<std::ptrdiff_t>(random_() % tickets_.size()));
      move(it->second);
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  void move(SeenTicket& self) {
    const auto dice = random_() % 16;
    if (self.ticket->state == TicketState::kHolding) {
      if (dice < 4) tickets_.erase(self.name);  // released
      return;
    }
    if (dice == 0) {
      tickets_.erase(self.name);  // killed while waiting
      return;
    }
    std::vector<SeenTicket> others;
    for (const auto& [name, ticket] : tickets_) {
      if (name != self.name) others.push_back(ticket);
    }
    const std::set<std::string> nobody;
    const auto decision = decide_turn({self.name, *self.ticket, others, kNow, kMono, "this", nobody, std::nullopt});
    if (decision.turn != Turn::kGranted) return;
    for (const auto& other : others) {
      const bool holds = other.ticket->state == TicketState::kHolding;
      ASSERT_FALSE(holds && domains_conflict(other.ticket->domains, self.ticket->domains)) << "two at once";
    }
    self.ticket->state = TicketState::kHolding;
    self.ticket->granted = kMono;
    self.ticket->deadline = kMono + std::chrono::minutes(1);
  }

  std::mt19937 random_;
  std::map<std::string, SeenTicket> tickets_;
};

/// The full count takes seconds; under a sanitizer or an emulator it would take minutes and find nothing else.
#if defined(__clang__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__x86_64__)
constexpr std::uint32_t kRounds = 2'000;
#else
constexpr std::uint32_t kRounds = 100'000;
#endif

TEST(Decide, RandomOverlappingSetsNeverDeadlockAndNeverOverlap) {
  for (std::uint32_t seed = 0; seed < kRounds; ++seed) {
    Simulation(seed).run();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace antifreeze::gate
