#include "gate/keep_act.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gate/breaker_file.h"
#include "gate/event_log.h"
#include "gate/gate_dir.h"
#include "gate/gate_state.h"
#include "gate/keep_boots.h"
#include "host/dir.h"
#include "host/fake/manual_clock.h"
#include "host/fake/temp_dir.h"

namespace antifreeze::gate {
namespace {

using namespace std::chrono_literals;
using host::fake::ManualClock;
using host::fake::TempDir;

std::string text(const std::string& path) {
  const auto slash = path.rfind('/');
  const auto dir = host::open_dir(AT_FDCWD, path.substr(0, slash));
  if (!dir) return "(no directory)";
  const auto content = host::read_file_at(dir->get(), path.substr(slash + 1), 1024 * 1024);
  return content ? *content : "(absent)";
}

/// A host over several boots: the gate directory is new with each, the state directory stays.
struct Machine {
  TempDir root;
  ManualClock clock;
  int boots = 0;

  [[nodiscard]] std::string gate() const { return root.path("run" + std::to_string(boots) + "/gate"); }
  [[nodiscard]] std::string boot_id() const { return "boot-" + std::to_string(boots); }
  [[nodiscard]] KeepPaths paths() const { return {gate(), root.path("var/gate")}; }
  [[nodiscard]] SetupOptions options() const {
    SetupOptions options;
    options.paths = paths();
    options.boot_id = boot_id();
    options.mount_tmpfs = false;
    return options;
  }
  core::Result<SetupReport> boot(core::Nanos after = 10min) {
    clock.advance(after);
    ++boots;
    return setup(options(), clock);
  }
};

TEST(KeepSetup, MakesADirectoryThatWrappersAccept) {
  Machine machine;
  const auto report = machine.boot();
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_FALSE(report->safe_boot.safe_boot);
  struct stat st{};
  ASSERT_EQ(::stat(machine.gate().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 01777u);
  ASSERT_EQ(::stat((machine.gate() + "/registry").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0666u);
  ASSERT_EQ(::stat((machine.gate() + "/gate.id").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0444u);
  GateDirOptions options;
  options.path = machine.gate();
  options.demand_marker = false;
  const auto gate = GateDir::open(options);
  ASSERT_TRUE(gate) << gate.error().message();
  EXPECT_EQ(gate->id().size(), 32u);
  EXPECT_FALSE(gate->trusted());
}

TEST(KeepSetup, SecondRunChangesNothing) {
  Machine machine;
  ASSERT_TRUE(machine.boot());
  const auto id = text(machine.gate() + "/gate.id");
  const auto again = setup(machine.options(), machine.clock);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->steps.empty()) << again->steps.front();
  EXPECT_EQ(text(machine.gate() + "/gate.id"), id);
}

TEST(KeepSetup, DryRunSaysTheStepsAndLeavesNoTrace) {
  Machine machine;
  auto options = machine.options();
  options.dry_run = true;
  options.mount_tmpfs = true;
  const auto report = setup(options, machine.clock);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->steps.size(), 7u);
  EXPECT_TRUE(host::list_names(machine.root.fd(), 10)->names.empty());
}

TEST(KeepSetup, ForeignMarkerIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  Machine machine;
  machine.root.write("run0/gate/gate.id", "forged\n");
  ASSERT_EQ(::chown((machine.gate() + "/gate.id").c_str(), 1000, 1000), 0);
  const auto report = setup(machine.options(), machine.clock);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), core::ErrorCode::kTampered);
}

TEST(KeepSetup, LinkInPlaceOfTheDirectoryIsRefused) {
  Machine machine;
  machine.root.write("elsewhere/x", "");
  machine.root.write("run0/x", "");
  ASSERT_EQ(::symlink(machine.root.path("elsewhere").c_str(), machine.gate().c_str()), 0);
  const auto report = setup(machine.options(), machine.clock);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), core::ErrorCode::kTampered);
}

TEST(KeepSave, BreakersAndLogOutliveAReboot) {
  Machine machine;
  ASSERT_TRUE(machine.boot());
  BreakerRecord record;
  record.service = "vllm";
  record.starts_total = 17;
  {
    const auto gate = host::open_dir(AT_FDCWD, machine.gate());
    ASSERT_TRUE(store_breaker(gate->get(), record));
    ASSERT_TRUE(host::write_file_atomic(gate->get(), std::string(kEventLogName), "{}\n", 0666, false));
  }
  const auto saved = save(machine.paths());
  ASSERT_TRUE(saved) << saved.error().message();
  EXPECT_EQ(saved->changed, 2u);
  EXPECT_EQ(save(machine.paths())->changed, 0u);

  ASSERT_TRUE(machine.boot());
  const auto gate = host::open_dir(AT_FDCWD, machine.gate());
  EXPECT_EQ(*load_breaker(gate->get(), "vllm"), record);
  EXPECT_EQ(text(machine.gate() + "/log.jsonl"), "{}\n");
}

TEST(KeepSave, DirectoryThatWasNeverSetUpDoesNotWipeTheCopies) {
  Machine machine;
  ASSERT_TRUE(machine.boot());
  BreakerRecord record;
  record.service = "vllm";
  {
    const auto gate = host::open_dir(AT_FDCWD, machine.gate());
    ASSERT_TRUE(store_breaker(gate->get(), record));
  }
  ASSERT_TRUE(save(machine.paths()));
  machine.root.write("empty/x", "");
  const auto saved = save({machine.root.path("empty"), machine.paths().state_dir});
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code(), core::ErrorCode::kNotFound);
  EXPECT_NE(text(machine.paths().state_dir + "/b-vllm"), "(absent)");
}

TEST(KeepSafeBoot, ComesAfterThreeUncleanBootsAndGoesWhenAPersonSaysSo) {
  Machine machine;
  for (int i = 1; i <= 3; ++i) {
    const auto report = machine.boot();
    ASSERT_TRUE(report);
    EXPECT_FALSE(report->safe_boot.safe_boot) << i;
  }
  const auto report = machine.boot();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->safe_boot.safe_boot);
  GateDirOptions options;
  options.path = machine.gate();
  options.demand_marker = false;
  const auto gate = GateDir::open(options);
  ASSERT_TRUE(gate);
  EXPECT_EQ(safe_boot(*gate), "3 boots ended without a shutdown within 1h");

  ASSERT_TRUE(leave_safe_boot(machine.paths(), machine.boot_id(), machine.clock));
  EXPECT_FALSE(safe_boot(*gate));
  const auto again = setup(machine.options(), machine.clock);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->safe_boot.safe_boot);
  EXPECT_FALSE(safe_boot(*gate)) << "a second set-up must not bring it back";
  EXPECT_FALSE(machine.boot(1min)->safe_boot.safe_boot) << "only one froze since then";
}

TEST(KeepSafeBoot, MarkThatWasRemovedByHandDoesNotComeBackInThisBoot) {
  Machine machine;
  for (int i = 1; i <= 4; ++i) ASSERT_TRUE(machine.boot());
  ASSERT_EQ(::unlink((machine.gate() + "/safe-boot").c_str()), 0);
  const auto again = setup(machine.options(), machine.clock);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->steps.empty());
  EXPECT_EQ(text(machine.gate() + "/safe-boot"), "(absent)");
}

TEST(KeepSafeBoot, OrderlyBootsNeverLeadThere) {
  Machine machine;
  for (int i = 0; i < 6; ++i) {
    const auto report = machine.boot();
    ASSERT_TRUE(report);
    EXPECT_FALSE(report->safe_boot.safe_boot);
    ASSERT_TRUE(mark_clean(machine.paths(), machine.boot_id(), machine.clock));
  }
}

TEST(KeepSafeBoot, BootThatGoesOnAfterItWasMarkedIsUncleanAgain) {
  Machine machine;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(machine.boot());
    ASSERT_TRUE(mark_clean(machine.paths(), machine.boot_id(), machine.clock));
    ASSERT_TRUE(mark_running(machine.paths(), machine.boot_id(), machine.clock));
  }
  EXPECT_TRUE(machine.boot()->safe_boot.safe_boot);
}

TEST(KeepSafeBoot, DamagedListOfBootsIsReportedAndDoesNotStopTheGate) {
  Machine machine;
  machine.root.write("var/gate/boots", "not a list\n");
  const auto report = machine.boot();
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->warnings.size(), 1u);
}

/// Runs `body` in a mount namespace of its own; returns its exit status, 77 when there is none to be had.
template <typename Body>
int in_mount_namespace(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(77);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

TEST(KeepSetup, MountsATmpfsOfItsOwnAndNeverTwice) {
  Machine machine;
  auto options = machine.options();
  options.mount_tmpfs = true;
  const int result = in_mount_namespace([&] {
    const auto first = setup(options, machine.clock);
    if (!first) return first.error().code() == core::ErrorCode::kPermission ? 77 : 1;
    GateDirOptions gate;
    gate.path = machine.gate();
    if (!GateDir::open(gate)) return 2;  // demands the marker and tmpfs
    struct stat before{};
    if (::stat(machine.gate().c_str(), &before) != 0) return 3;
    const auto second = setup(options, machine.clock);
    struct stat after{};
    if (!second || !second->steps.empty() || ::stat(machine.gate().c_str(), &after) != 0) return 4;
    if (before.st_dev != after.st_dev) return 5;
    // A set-up that died before gate.id goes on with the mount that is there.
    if (::unlink((machine.gate() + "/gate.id").c_str()) != 0) return 6;
    const auto third = setup(options, machine.clock);
    if (!third || ::stat(machine.gate().c_str(), &after) != 0 || before.st_dev != after.st_dev) return 7;
    return GateDir::open(gate) ? 0 : 8;
  });
  if (result == 77) GTEST_SKIP() << "needs the right to mount";
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace antifreeze::gate
