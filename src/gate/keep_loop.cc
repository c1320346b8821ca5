#include "gate/keep_loop.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "core/fd.h"
#include "gate/breaker_file.h"
#include "gate/event_log.h"

namespace antifreeze::gate {
namespace {

using core::Fd;
using core::MonoTime;
using core::Nanos;

/// A start writes several lines and a record within a few milliseconds: one save for all of them.
constexpr Nanos kDebounce = std::chrono::milliseconds(200);
/// Under a stream of changes the disk is bothered no more often than this; with kDebounce below the second promised.
constexpr Nanos kMinInterval = std::chrono::milliseconds(700);
constexpr Nanos kRetry = std::chrono::seconds(10);

constexpr std::uint32_t kWatched = IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR;

struct Changes {
  bool relevant = false;
  bool gone = false;  ///< the directory was removed or unmounted
};

/// Takes all events that are there. A lost event (overflow) may have been any.
Changes drain(int inotify_fd) {
  Changes changes;
  alignas(inotify_event) std::array<char, 16 * 1024> buffer;
  for (;;) {
    const auto got = core::retry_eintr([&] { return ::read(inotify_fd, buffer.data(), buffer.size()); });
    if (got <= 0) return changes;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* name_at = buffer.data() + at + sizeof event;
      const std::string_view name(name_at, event.len == 0 ? 0 : ::strnlen(name_at, event.len));
      changes.gone = changes.gone || (event.mask & (IN_IGNORED | IN_UNMOUNT)) != 0;
      changes.relevant = changes.relevant || (event.mask & IN_Q_OVERFLOW) != 0 || is_breaker_file_name(name) ||
                         name == kEventLogName || name == kOldEventLogName;
      at += sizeof event + event.len;
    }
  }
}

class Loop {
 public:
  Loop(const KeepLoopOptions& options, const host::Clock& clock, const std::function<void(std::string_view)>& report)
      : options_(options), clock_(clock), report_(report) {}

  core::Status run(int stop_fd) {
    inotify_ = Fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!inotify_.valid() || ::inotify_add_watch(inotify_.get(), options_.paths.gate_dir.c_str(), kWatched) < 0) {
      return core::errno_error("watching " + options_.paths.gate_dir, errno);
    }
    if (auto first = mark_running(options_.paths, options_.boot_id, clock_); !first) say(first.error().message());
    // Watched first, saved then: a change in between is seen twice rather than not at all.
    if (auto first = save_once(); !first && first.error().code() == core::ErrorCode::kNotFound) return first;
    for (;;) {
      std::array<pollfd, 2> fds{{{stop_fd, POLLIN, 0}, {inotify_.get(), POLLIN, 0}}};
      if (::poll(fds.data(), fds.size(), timeout_ms()) < 0 && errno != EINTR) {
        return core::errno_error("waiting for changes", errno);
      }
      const auto changes = drain(inotify_.get());
      if (changes.gone) return gone();
      if (changes.relevant) schedule();
      if (fds[0].revents != 0) return finish();
      if (due_ && clock_.monotonic() >= *due_) (void)save_once().has_value();
    }
  }

 private:
  [[nodiscard]] int timeout_ms() const {
    if (!due_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due_ - clock_.monotonic()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }

  void schedule() {
    const auto soon = std::max(clock_.monotonic() + kDebounce, last_save_ + kMinInterval);
    if (!due_ || *due_ > soon) due_ = soon;
  }

  core::Status save_once() {
    due_.reset();
    auto saved = save(options_.paths);
    last_save_ = clock_.monotonic();
    if (!saved) {
      say(saved.error().message());
      due_ = last_save_ + kRetry;
      return std::move(saved).error();
    }
    std::string text;
    for (const auto& warning : saved->warnings) text += (text.empty() ? "not saved: " : "; ") + warning;
    say(text);
    return {};
  }

  core::Status finish() {
    auto saved = save_once();
    if (!options_.mark_clean_at_end) return saved;
    auto marked = mark_clean(options_.paths, options_.boot_id, clock_);
    return saved ? std::move(marked) : std::move(saved);
  }

  [[nodiscard]] core::Error gone() const {
    return {core::ErrorCode::kNotFound, "gate directory " + options_.paths.gate_dir + " was removed or unmounted"};
  }

  /// The same thing once; an empty text means that all is well again.
  void say(std::string text) {
    if (text == last_said_) return;
    last_said_ = std::move(text);
    if (!last_said_.empty()) report_(last_said_);
  }

  const KeepLoopOptions& options_;
  const host::Clock& clock_;
  const std::function<void(std::string_view)>& report_;
  Fd inotify_;
  std::optional<MonoTime> due_;
  MonoTime last_save_{};
  std::string last_said_;
};

}  // namespace

core::Status keep_loop(const KeepLoopOptions& options, int stop_fd, const host::Clock& clock,
                       const std::function<void(std::string_view)>& report) {
  return Loop(options, clock, report).run(stop_fd);
}

}  // namespace antifreeze::gate
