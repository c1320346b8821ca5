// The gate verbs on a real directory, with tickets that this process holds.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/exit_codes.h"
#include "cli/fake/captured.h"
#include "core/text.h"
#include "gate/breaker_decide.h"
#include "gate/breaker_file.h"
#include "gate/event_log.h"
#include "gate/gate_state.h"
#include "gate/own_ticket.h"
#include "gate/pause_file.h"
#include "gate/safe_boot_decide.h"
#include "host/clock.h"
#include "host/fake/temp_dir.h"
#include "host/identity.h"
#include "host/ofd_lock.h"

namespace antifreeze::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using RawJson = nlohmann::json;

class GateVerbs : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = gate::GateDir::open({path_, false});
    ASSERT_TRUE(opened) << opened.error().message();
    dir_.emplace(std::move(*opened));
    auto identity = host::read_identity();
    ASSERT_TRUE(identity);
    boot_id_ = identity->boot_id;
  }

  int run(std::vector<std::string> words) {
    words.insert(words.end(), {"--gate-dir", path_});
    return program_.run(words);
  }
  RawJson json_of(const std::vector<std::string>& words) {
    auto all = words;
    all.push_back("--json");
    EXPECT_EQ(run(all), kExitFine) << program_.err;
    return RawJson::parse(program_.out, nullptr, false);
  }

  gate::OwnTicket make_ticket(const std::string& service, gate::TicketState state, int priority = 0) {
    gate::Ticket content;
    content.service = service;
    content.priority = priority;
    content.domains = {"host"};
    content.boot_id = boot_id_;
    content.pid = 7;
    auto made = gate::OwnTicket::create(*dir_, content, clock_.boottime());
    EXPECT_TRUE(made);
    auto lock = dir_->try_lock_registry();
    EXPECT_TRUE(lock && *lock);
    EXPECT_TRUE(made->publish(**lock, clock_.boottime(), 0));
    made->content().state = state;
    if (state == gate::TicketState::kHolding) {
      made->content().granted = clock_.monotonic();
      made->content().deadline = clock_.monotonic() + std::chrono::minutes(5);
    }
    EXPECT_TRUE(made->write());
    return std::move(*made);
  }

  void log(const std::string& service, gate::Phase phase, const std::string& reason = "") {
    gate::Event event;
    event.boot_id = boot_id_;
    event.boottime = clock_.boottime();
    event.service = service;
    event.domain = "host";
    event.phase = phase;
    event.reason = reason;
    ASSERT_TRUE(gate::append_event(*dir_, event));
  }

  void hold(const std::string& service) {
    gate::BreakerRecord record;
    record.service = service;
    const gate::BreakerNow now{clock_.boottime(), clock_.wall(), boot_id_};
    record.failures_in_a_row = 5;
    gate::rebase(record, now);
    gate::hold(record, now, {}, "5 failed starts in 30m");
    ASSERT_TRUE(gate::store_breaker(dir_->fd(), record));
  }

  host::fake::TempDir base_;
  std::string path_ = base_.path("gate");
  std::optional<gate::GateDir> dir_;
  std::string boot_id_;
  host::RealClock clock_;
  fake::Captured program_{clock_};
};

TEST_F(GateVerbs, StatusShowsHolderQueueAndOurPid) {
  const auto holder = make_ticket("chat", gate::TicketState::kHolding);
  const auto waiter = make_ticket("embed", gate::TicketState::kWaiting, 3);
  const auto json = json_of({"gate", "status"});
  EXPECT_EQ(json["schema"], "antifreeze/gate-status/v1");
  EXPECT_EQ(json["mode"], "trusted");
  EXPECT_EQ(json["boot_id"], boot_id_);
  ASSERT_EQ(json["holders"].size(), 1U);
  EXPECT_EQ(json["holders"][0]["service"], "chat");
  EXPECT_THAT(json["holders"][0]["host_pids"].get<std::vector<int>>(), Contains(::getpid()));
  ASSERT_EQ(json["queue"].size(), 1U);
  EXPECT_EQ(json["queue"][0]["service"], "embed");
  EXPECT_EQ(json["queue"][0]["priority"], 3);
  EXPECT_EQ(run({"gate", "status"}), kExitFine);
  EXPECT_THAT(program_.out, HasSubstr("holder   chat"));
}

TEST_F(GateVerbs, StatusWorksWhileTheRegistryIsLockedAndChangesNothing) {
  const auto lock = dir_->try_lock_registry();
  ASSERT_TRUE(lock && *lock);
  struct stat before{};
  ASSERT_EQ(::fstat(dir_->fd(), &before), 0);
  EXPECT_EQ(run({"gate", "status"}), kExitFine) << program_.err;
  struct stat after{};
  ASSERT_EQ(::fstat(dir_->fd(), &after), 0);
  EXPECT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
  EXPECT_EQ(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
}

TEST_F(GateVerbs, StatusMakesNoMissingDirectory) {
  const auto missing = base_.path("missing");
  EXPECT_EQ(program_.run({"gate", "status", "--gate-dir", missing}), kExitNoInput);
  EXPECT_THAT(program_.err, HasSubstr("does not exist"));
  EXPECT_NE(::access(missing.c_str(), F_OK), 0);
  base_.make_dir("empty");
  EXPECT_EQ(program_.run({"gate", "status", "--gate-dir", base_.path("empty")}), kExitNoInput);
  EXPECT_NE(::access(base_.path("empty/registry").c_str(), F_OK), 0);
}

TEST_F(GateVerbs, LogPrintsTextAndTheLinesThemselvesWithoutGarbage) {
  log("chat", gate::Phase::kQueued);
  log("chat", gate::Phase::kReady, "settled");
  const core::Fd file(::openat(dir_->fd(), "log.jsonl", O_WRONLY | O_APPEND | O_CLOEXEC));
  ASSERT_EQ(::write(file.get(), "garbage\n", 8), 8);
  EXPECT_EQ(run({"gate", "log"}), kExitFine);
  EXPECT_THAT(program_.out, HasSubstr("chat            ready       settled\n"));
  EXPECT_EQ(program_.err, "antifreeze: 1 line is no event and left out\n");
  EXPECT_EQ(run({"gate", "log", "--json", "-n", "1"}), kExitFine);
  const auto line = RawJson::parse(program_.out, nullptr, false);
  EXPECT_EQ(line["state"], "ready");
  EXPECT_EQ(line["boot_id"], boot_id_);
}

TEST_F(GateVerbs, LogReadsBothGenerationsInOrder) {
  log("older", gate::Phase::kReady);
  ASSERT_EQ(::renameat(dir_->fd(), "log.jsonl", dir_->fd(), "log.1.jsonl"), 0);
  log("newer", gate::Phase::kReady);
  EXPECT_EQ(run({"gate", "log", "--quiet"}), kExitFine);
  EXPECT_LT(program_.out.find("older"), program_.out.find("newer"));
}

TEST_F(GateVerbs, LogDrawsAChartOfAnyFile) {
  log("chat", gate::Phase::kStarting);
  log("chat", gate::Phase::kReady);
  ASSERT_EQ(program_.run({"gate", "log", "--file", path_ + "/log.jsonl", "--chart", "--ascii"}), kExitFine);
  EXPECT_THAT(program_.out, HasSubstr("\nchat "));
  EXPECT_EQ(run({"gate", "log", "--chart", "--follow"}), kExitUsage);
  EXPECT_EQ(program_.run({"gate", "log", "--file", base_.path("none")}), kExitNoInput);
}

TEST_F(GateVerbs, LogSinceLeavesOlderEventsOut) {
  log("chat", gate::Phase::kReady);
  EXPECT_EQ(run({"gate", "log", "--since", "1h"}), kExitFine);
  EXPECT_THAT(program_.out, HasSubstr("chat"));
  EXPECT_EQ(run({"gate", "log", "--since", "0"}), kExitFine);
  EXPECT_THAT(program_.out, IsEmpty());
  EXPECT_EQ(run({"gate", "log", "--since", "soon"}), kExitUsage);
}

TEST_F(GateVerbs, PauseIsInForceAtOnceAndResumeEndsIt) {
  EXPECT_EQ(run({"gate", "pause", "--for", "10m", "--reason", "driver update"}), kExitFine) << program_.err;
  const auto active = gate::active_pause(*dir_, clock_.boottime(), boot_id_);
  ASSERT_TRUE(active);
  EXPECT_EQ(active->pause.reason, "driver update");
  EXPECT_EQ(json_of({"gate", "status"})["paused"], true);
  EXPECT_EQ(run({"gate", "resume", "--dry-run"}), kExitFine);
  EXPECT_TRUE(gate::active_pause(*dir_, clock_.boottime(), boot_id_));
  EXPECT_EQ(json_of({"gate", "resume"})["was_paused"], true);
  EXPECT_FALSE(gate::active_pause(*dir_, clock_.boottime(), boot_id_));
  EXPECT_EQ(run({"gate", "resume"}), kExitFine);
  EXPECT_THAT(program_.out, HasSubstr("is not paused"));
}

TEST_F(GateVerbs, PauseRefusesWhatIsMissingOrTooLongAndItsDryRunPausesNothing) {
  EXPECT_EQ(run({"gate", "pause", "--for", "10m"}), kExitUsage);
  EXPECT_EQ(run({"gate", "pause", "--reason", "x", "--for", "2h"}), kExitUsage);
  EXPECT_EQ(run({"gate", "pause", "--reason", "x", "--for", "0"}), kExitUsage);
  EXPECT_EQ(run({"gate", "pause", "--reason", "x", "--for", "5m", "--dry-run"}), kExitFine);
  EXPECT_THAT(program_.out, StartsWith("would pause"));
  EXPECT_FALSE(gate::active_pause(*dir_, clock_.boottime(), boot_id_));
}

TEST_F(GateVerbs, ResetLetsAHeldServiceGoAndSaysWhatItWasHeldFor) {
  hold("ocr");
  hold("chat");
  EXPECT_EQ(run({"gate", "reset", "ocr", "--dry-run"}), kExitFine);
  EXPECT_THAT(program_.out, HasSubstr("would be reset"));
  EXPECT_TRUE(gate::load_breaker(dir_->fd(), "ocr")->hold);
  EXPECT_EQ(run({"gate", "reset", "ocr"}), kExitFine) << program_.err;
  EXPECT_THAT(program_.out, HasSubstr("ocr: reset; was held for"));
  EXPECT_THAT(program_.out, HasSubstr("5 failed starts in 30m"));
  EXPECT_FALSE(gate::load_breaker(dir_->fd(), "ocr")->hold);
  EXPECT_TRUE(gate::load_breaker(dir_->fd(), "chat")->hold);
  EXPECT_EQ(json_of({"gate", "reset", "--all"})["services"].size(), 2U);
  EXPECT_FALSE(gate::load_breaker(dir_->fd(), "chat")->hold);
}

TEST_F(GateVerbs, ResetOfAnUnknownServiceNamesTheNearest) {
  hold("finetuned");
  EXPECT_EQ(run({"gate", "reset", "finetund"}), kExitNoInput);
  EXPECT_THAT(program_.err, HasSubstr("did you mean 'finetuned'?"));
  EXPECT_EQ(run({"gate", "reset"}), kExitUsage);
  EXPECT_EQ(run({"gate", "reset", "finetuned", "--all"}), kExitUsage);
}

TEST_F(GateVerbs, ResetRemovesADamagedRecord) {
  base_.write("gate/b-ocr", "not a record");
  EXPECT_THAT(json_of({"gate", "status"})["damaged_breakers"].get<std::vector<std::string>>(), ElementsAre("b-ocr"));
  EXPECT_EQ(run({"gate", "reset", "ocr"}), kExitFine) << program_.err;
  EXPECT_NE(::faccessat(dir_->fd(), "b-ocr", F_OK, 0), 0);
}

TEST_F(GateVerbs, ResetAlsoChangesTheCopyOnDisk) {
  hold("ocr");
  base_.make_dir("state");
  const core::Fd state(::open(base_.path("state").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(gate::store_breaker(state.get(), *gate::load_breaker(dir_->fd(), "ocr")));
  EXPECT_EQ(run({"gate", "reset", "ocr", "--state-dir", base_.path("state")}), kExitFine) << program_.err;
  EXPECT_FALSE(gate::load_breaker(state.get(), "ocr")->hold);
}

TEST_F(GateVerbs, ResetRegistryPutsAFreshOneInPlaceOfALockedOne) {
  const auto lock = dir_->try_lock_registry();
  ASSERT_TRUE(lock && *lock);
  EXPECT_EQ(run({"gate", "reset", "--registry", "--dry-run"}), kExitFine);
  EXPECT_TRUE((*lock)->is_current());
  EXPECT_EQ(run({"gate", "reset", "--registry"}), kExitFine);
  EXPECT_THAT(program_.out, HasSubstr("which pid " + std::to_string(::getpid()) + " had locked"));
  EXPECT_FALSE((*lock)->is_current());
}

TEST_F(GateVerbs, SetupPreparesADirectoryAndSafeBootIsLeftByReset) {
  const auto gate_path = base_.path("host");
  const auto state = base_.path("kept");
  const std::vector<std::string> where{"--gate-dir", gate_path, "--state-dir", state};
  const auto run_there = [&](std::vector<std::string> words) {
    words.insert(words.end(), where.begin(), where.end());
    return program_.run(words);
  };
  EXPECT_EQ(run_there({"gate", "setup", "--no-mount", "--dry-run"}), kExitFine) << program_.err;
  EXPECT_THAT(program_.out, HasSubstr("would make directory"));
  EXPECT_NE(::access(gate_path.c_str(), F_OK), 0);
  EXPECT_EQ(run_there({"gate", "setup", "--no-mount"}), kExitFine) << program_.err;
  EXPECT_EQ(run_there({"gate", "setup", "--no-mount"}), kExitFine);
  EXPECT_THAT(program_.out, HasSubstr("is set up already"));
  EXPECT_EQ(program_.run({"gate", "status", "--json", "--gate-dir", gate_path}), kExitFine) << program_.err;
  EXPECT_EQ(RawJson::parse(program_.out, nullptr, false)["mode"], "host");

  base_.write("host/safe-boot", gate::encode_safe_boot("3 boots", clock_.wall()));
  EXPECT_EQ(run_there({"gate", "reset", "--safe-boot"}), kExitFine) << program_.err;
  EXPECT_THAT(program_.out, HasSubstr("left the safe boot: 3 boots"));
  EXPECT_NE(::access((gate_path + "/safe-boot").c_str(), F_OK), 0);
}

}  // namespace
}  // namespace antifreeze::cli
