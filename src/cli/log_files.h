// Reading the event log's files, as a whole and as they grow.
#pragma once

#include <cstdint>
#include <string>

#include "cli/log_event.h"
#include "core/fd.h"
#include "core/result.h"

namespace antifreeze::cli {

/// Of a longer file only the end is read: the log is rotated at 1 MiB, so more is somebody's mischief.
inline constexpr std::uint64_t kMaxLogRead = 2 * 1024 * 1024;

/// Both generations in gate directory `dirfd`, oldest first. Missing files are empty.
core::Result<EventList> read_gate_log(int dirfd);

/// One file by its path; "-" is stdin.
core::Result<EventList> read_log_file(const std::string& path);

/// Follows log.jsonl across rotations.
class LogFollower {
 public:
  /// Begins at the present end of the log in directory `path`, which is open as `dirfd` and must stay so.
  static core::Result<LogFollower> at_end(int dirfd, const std::string& path);

  /// Sleeps until something may have been written (a second at most), and returns whole new lines; often none.
  core::Result<EventList> wait();

 private:
  explicit LogFollower(int dirfd) : dirfd_(dirfd) {}
  core::Status open_log(bool at_end);
  core::Status read_new(std::string& into);

  int dirfd_;
  core::Fd inotify_;
  core::Fd log_;
  std::uint64_t offset_ = 0;
  std::string partial_;  ///< the beginning of a line whose end is not there yet
};

}  // namespace antifreeze::cli
