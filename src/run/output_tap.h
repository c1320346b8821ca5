// Reads what the server prints, for --ready log:REGEX, and passes it on unchanged.
#pragma once

#include <poll.h>
#include <regex.h>

#include <array>
#include <string>
#include <vector>

#include "core/fd.h"
#include "core/result.h"

namespace antifreeze::run {

class OutputTap {
 public:
  /// `pattern` is a POSIX extended regular expression, looked for in each line's first 4,096 bytes. kInvalid when it
  /// does not compile.
  static core::Result<OutputTap> make(const std::string& pattern);
  OutputTap(OutputTap&& other) noexcept;
  OutputTap& operator=(OutputTap&&) = delete;
  ~OutputTap();

  /// What the server gets as stdout and stderr; close them in this process once it runs.
  [[nodiscard]] int server_end(int stream) const { return streams_[static_cast<std::size_t>(stream)].server.get(); }
  void close_server_ends();
  /// Ours; no other process may keep it, or the server would never learn that nobody reads.
  [[nodiscard]] int reading_end(int stream) const { return streams_[static_cast<std::size_t>(stream)].ours.get(); }

  /// What to poll: a stream's reading end, or our own output while that is not ready to take more. Without output that
  /// can be written nothing is read, so that the server feels the same back-pressure as without us.
  void add_pollfds(std::vector<pollfd>& fds) const;
  /// Moves what is there. At most 4,096 bytes a call and stream: a pipe that polls writable takes as much.
  void pump();
  /// False once both streams have ended.
  [[nodiscard]] bool is_open() const { return streams_[0].ours.valid() || streams_[1].ours.valid(); }
  [[nodiscard]] bool matched() const { return matched_; }
  /// Something was printed since the last call.
  bool take_activity();

 private:
  struct Stream {
    core::Fd server;
    core::Fd ours;
    int out = -1;
    std::string line;
  };
  OutputTap() = default;
  void scan(Stream& stream, std::string_view data);
  void match(const std::string& line);

  std::array<Stream, 2> streams_;
  regex_t regex_{};
  bool compiled_ = false;
  bool matched_ = false;
  bool active_ = false;
};

}  // namespace antifreeze::run
