#include "cli/log_files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "gate/event_log.h"
#include "host/dir.h"
#include "host/dir_edit.h"

namespace antifreeze::cli {
namespace {

using core::Error;
using core::ErrorCode;

/// A log that was collected over months; more is not one.
constexpr std::size_t kMaxFileRead = 256 * 1024 * 1024;

void append(EventList& all, EventList more) {
  all.garbage += more.garbage;
  std::ranges::move(more.events, std::back_inserter(all.events));
}

/// The end of the file, from the first whole line on when it had to be cut.
core::Result<std::string> read_end(int fd) {
  const auto info = host::file_info(fd);
  if (!info) return info.error();
  const bool cut = info->size_bytes > kMaxLogRead;
  if (cut && ::lseek(fd, static_cast<off_t>(info->size_bytes - kMaxLogRead), SEEK_SET) < 0) {
    return core::errno_error("event log", errno);
  }
  auto text = host::read_all(fd, 2 * kMaxLogRead);  // it may grow while we read
  if (text && cut) text->erase(0, text->find('\n') + 1);
  return text;
}

core::Result<EventList> read_generation(int dirfd, std::string_view name) {
  const auto fd = host::open_regular_at(dirfd, std::string(name), O_RDONLY);
  if (!fd) {
    if (fd.error().code() == ErrorCode::kNotFound) return EventList{};
    return Error(fd.error()).with_context("event log");
  }
  const auto text = read_end(fd->get());
  if (!text) return Error(text.error()).with_context("event log");
  return parse_events(*text);
}

}  // namespace

core::Result<EventList> read_gate_log(int dirfd) {
  EventList all;
  for (const auto name : {gate::kOldEventLogName, gate::kEventLogName}) {
    auto part = read_generation(dirfd, name);
    if (!part) return part;
    append(all, std::move(*part));
  }
  return all;
}

core::Result<EventList> read_log_file(const std::string& path) {
  core::Fd opened;
  int fd = STDIN_FILENO;
  if (path != "-") {
    opened = core::Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!opened.valid()) return core::errno_error(path, errno);
    fd = opened.get();
  }
  auto text = host::read_all(fd, kMaxFileRead);
  if (!text) return std::move(text).error().with_context(path);
  if (!text->empty() && !text->ends_with('\n')) *text += '\n';  // nobody is writing it any more
  return parse_events(*text);
}

core::Result<LogFollower> LogFollower::at_end(int dirfd, const std::string& path) {
  LogFollower follower(dirfd);
  follower.inotify_ = core::Fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  // Without a watch (no instances left) the second of wait() will do.
  if (follower.inotify_.valid() &&
      ::inotify_add_watch(follower.inotify_.get(), path.c_str(), IN_MODIFY | IN_MOVED_FROM | IN_CREATE) < 0) {
    follower.inotify_.reset();
  }
  if (auto opened = follower.open_log(true); !opened) return std::move(opened).error();
  return follower;
}

core::Status LogFollower::open_log(bool at_end) {
  auto fd = host::open_regular_at(dirfd_, std::string(gate::kEventLogName), O_RDONLY);
  offset_ = 0;
  partial_.clear();
  if (!fd) {
    log_.reset();
    if (fd.error().code() == ErrorCode::kNotFound) return {};  // nobody has started anything yet
    return std::move(fd).error().with_context("event log");
  }
  log_ = std::move(*fd);
  if (!at_end) return {};
  const auto info = host::file_info(log_.get());
  if (!info) return info.error();
  offset_ = info->size_bytes;
  return {};
}

core::Status LogFollower::read_new(std::string& into) {
  if (!log_.valid()) return {};
  const auto info = host::file_info(log_.get());
  if (!info) return info.error();
  if (info->size_bytes < offset_) offset_ = 0;  // emptied where a rotation was not permitted
  std::array<char, 64 * 1024> buffer;
  for (;;) {
    const auto got = core::retry_eintr(
        [&] { return ::pread(log_.get(), buffer.data(), buffer.size(), static_cast<off_t>(offset_)); });
    if (got < 0) return core::errno_error("event log", errno);
    if (got == 0) return {};
    offset_ += static_cast<std::uint64_t>(got);
    into.append(buffer.data(), static_cast<std::size_t>(got));
    if (into.size() > kMaxLogRead) return {};
  }
}

core::Result<EventList> LogFollower::wait() {
  pollfd watch{inotify_.valid() ? inotify_.get() : -1, POLLIN, 0};
  (void)::poll(&watch, 1, 1000);
  if (inotify_.valid()) {
    std::array<char, 4096> events;
    while (::read(inotify_.get(), events.data(), events.size()) > 0) {
    }
  }
  std::string text = std::move(partial_);
  partial_.clear();
  if (auto read = read_new(text); !read) return std::move(read).error();
  const auto same = log_.valid() ? host::is_same_file(log_.get(), dirfd_, std::string(gate::kEventLogName))
                                 : core::Result<bool>(false);
  if (same && !*same) {  // rotated: what the old file got until then has been read just now
    auto rest = std::move(text);
    if (auto opened = open_log(false); !opened) return std::move(opened).error();
    text = std::move(rest);
    if (auto read = read_new(text); !read) return std::move(read).error();
  }
  const auto end = text.rfind('\n');
  partial_ = end == std::string::npos ? text : text.substr(end + 1);
  if (partial_.size() > kMaxLogLine) partial_.clear();
  return parse_events(end == std::string::npos ? std::string_view() : std::string_view(text).substr(0, end + 1));
}

}  // namespace antifreeze::cli
