#include "gate/keep_loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <thread>

#include "gate/breaker_file.h"
#include "gate/event_log.h"
#include "gate/keep_boots.h"
#include "host/clock.h"
#include "host/dir.h"
#include "host/fake/temp_dir.h"

namespace antifreeze::gate {
namespace {

using namespace std::chrono_literals;

/// A keeper in a thread of its own, over real directories.
class Keeper {
 public:
  explicit Keeper(bool mark_clean_at_end = false) : stop_(::eventfd(0, EFD_CLOEXEC)) {
    options_.paths = {root_.path("gate"), root_.path("state")};
    options_.boot_id = "boot-1";
    options_.mark_clean_at_end = mark_clean_at_end;
    SetupOptions setup_options;
    setup_options.paths = options_.paths;
    setup_options.boot_id = options_.boot_id;
    setup_options.mount_tmpfs = false;
    EXPECT_TRUE(setup(setup_options, clock_));
    state_ = std::move(*host::open_dir(AT_FDCWD, options_.paths.state_dir));
    gate_ = std::move(*host::open_dir(AT_FDCWD, options_.paths.gate_dir));
    watch_ = core::Fd(::inotify_init1(IN_CLOEXEC));
    EXPECT_GE(::inotify_add_watch(watch_.get(), options_.paths.state_dir.c_str(), IN_MOVED_TO | IN_MODIFY), 0);
  }
  ~Keeper() { (void)stop().has_value(); }

  void start() {
    thread_ = std::thread([this] {
      result_ = keep_loop(options_, stop_.get(), clock_, [this](std::string_view line) {
        const std::lock_guard lock(mutex_);
        said_.emplace_back(line);
      });
    });
  }

  core::Status stop() {
    if (thread_.joinable()) {
      const std::uint64_t one = 1;
      EXPECT_EQ(::write(stop_.get(), &one, sizeof one), 8);
      thread_.join();
    }
    return result_;
  }

  /// Waits for events of the state directory until `there`; false after `limit`.
  template <typename Predicate>
  bool await(Predicate there, core::Nanos limit = 10s) {
    const auto end = clock_.monotonic() + limit;
    while (!there()) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock_.monotonic()).count();
      if (left <= 0) return false;
      pollfd fd{watch_.get(), POLLIN, 0};
      char buffer[4096];
      if (::poll(&fd, 1, static_cast<int>(left)) > 0) {
        EXPECT_GT(::read(watch_.get(), buffer, sizeof buffer), 0);
      }
    }
    return true;
  }

  [[nodiscard]] std::string saved(std::string_view name) const {
    const auto content = host::read_file_at(state_.get(), std::string(name), 1 << 20);
    return content ? *content : "";
  }
  void store(std::uint64_t starts) const {
    BreakerRecord record;
    record.service = "svc";
    record.starts_total = starts;
    EXPECT_TRUE(store_breaker(gate_.get(), record));
  }
  [[nodiscard]] std::uint64_t saved_starts() const {
    const auto record = load_breaker(state_.get(), "svc");
    return record ? record->starts_total : 0;
  }
  void log(std::string_view line) const {
    const core::Fd fd(::openat(gate_.get(), "log.jsonl", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
    EXPECT_TRUE(host::write_all(fd.get(), line));
  }

  host::fake::TempDir root_;
  host::RealClock clock_;
  KeepLoopOptions options_;
  core::Fd stop_, state_, gate_, watch_;
  core::Status result_;
  std::thread thread_;
  std::mutex mutex_;
  std::vector<std::string> said_;
};

TEST(KeepLoop, SavesEachChangeWithinASecond) {
  Keeper keeper;
  keeper.log("0\n");
  keeper.start();
  ASSERT_TRUE(keeper.await([&] { return keeper.saved("log.jsonl") == "0\n"; })) << "what was there before";
  for (int i = 1; i <= 3; ++i) {
    const auto changed = keeper.clock_.monotonic();
    keeper.store(static_cast<std::uint64_t>(i));
    keeper.log(std::to_string(i) + "\n");
    ASSERT_TRUE(keeper.await([&] { return keeper.saved_starts() == static_cast<std::uint64_t>(i); }));
    // One second is promised; the rest is for a machine that is busy with other tests.
    EXPECT_LT(keeper.clock_.monotonic() - changed, 5s);
  }
  EXPECT_TRUE(keeper.stop());
  EXPECT_EQ(keeper.saved("log.jsonl"), "0\n1\n2\n3\n");
}

TEST(KeepLoop, SavesOnceMoreWhenItIsStopped) {
  Keeper keeper(true);
  keeper.log("0\n");
  keeper.start();
  ASSERT_TRUE(keeper.await([&] { return !keeper.saved("log.jsonl").empty(); }));
  keeper.store(7);  // stopped long before the debounce is over
  EXPECT_TRUE(keeper.stop());
  EXPECT_EQ(keeper.saved_starts(), 7u);
  EXPECT_TRUE(decode_boots(keeper.saved("boots")).boots.back().ended_clean);
}

TEST(KeepLoop, StoppedByHandIsNoCleanEndOfTheBoot) {
  Keeper keeper;
  keeper.start();
  EXPECT_TRUE(keeper.stop());
  const auto boots = decode_boots(keeper.saved("boots")).boots;
  ASSERT_EQ(boots.size(), 1u);
  EXPECT_FALSE(boots.back().ended_clean);
}

TEST(KeepLoop, EndsWhenTheGateDirectoryIsRemoved) {
  Keeper keeper;
  keeper.start();
  keeper.log("1\n");
  ASSERT_TRUE(keeper.await([&] { return !keeper.saved("log.jsonl").empty(); }));
  std::filesystem::remove_all(keeper.options_.paths.gate_dir);
  keeper.gate_.reset();  // an inode goes when its last descriptor does
  keeper.thread_.join();
  ASSERT_FALSE(keeper.result_);
  EXPECT_EQ(keeper.result_.error().code(), core::ErrorCode::kNotFound);
}

TEST(KeepLoop, RefusesADirectoryThatWasNeverSetUp) {
  Keeper keeper;
  std::filesystem::remove(keeper.root_.path("gate/gate.id"));
  const auto result = keep_loop(keeper.options_, keeper.stop_.get(), keeper.clock_, [](std::string_view) {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), core::ErrorCode::kNotFound);
}

TEST(KeepLoop, SaysWhatItLeavesOutOnce) {
  Keeper keeper;
  keeper.root_.write("gate/b-garbage", "garbage");
  keeper.start();
  keeper.log("1\n");
  ASSERT_TRUE(keeper.await([&] { return keeper.saved("log.jsonl") == "1\n"; }));
  keeper.log("2\n");
  ASSERT_TRUE(keeper.await([&] { return keeper.saved("log.jsonl") == "1\n2\n"; }));
  EXPECT_TRUE(keeper.stop());
  ASSERT_EQ(keeper.said_.size(), 1u);
  EXPECT_TRUE(keeper.said_[0].starts_with("not saved: b-garbage: ")) << keeper.said_[0];
}

}  // namespace
}  // namespace antifreeze::gate
