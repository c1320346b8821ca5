#include "run/output_tap.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "host/dir.h"

namespace antifreeze::run {
namespace {
constexpr std::size_t kChunk = 4096;  // PIPE_BUF: never blocks where poll said writable
constexpr std::size_t kLongestLine = 4096;

bool writable(int fd) {
  pollfd poll_fd{fd, POLLOUT, 0};
  // A broken output counts as well: writing then fails at once, and waiting for it would spin.
  return ::poll(&poll_fd, 1, 0) > 0 && poll_fd.revents != 0;
}

}  // namespace

core::Result<OutputTap> OutputTap::make(const std::string& pattern) {
  OutputTap tap;
  const int failed = ::regcomp(&tap.regex_, pattern.c_str(), REG_EXTENDED | REG_NOSUB);
  if (failed != 0) {
    std::array<char, 128> text{};
    ::regerror(failed, &tap.regex_, text.data(), text.size());
    return core::Error(core::ErrorCode::kInvalid, "log:" + pattern + ": " + text.data());
  }
  tap.compiled_ = true;
  for (std::size_t i = 0; i < 2; ++i) {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return core::errno_error("make a pipe", errno);
    tap.streams_[i].ours = core::Fd(ends[0]);
    tap.streams_[i].server = core::Fd(ends[1]);
    tap.streams_[i].out = static_cast<int>(i) + STDOUT_FILENO;
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  return tap;
}

OutputTap::OutputTap(OutputTap&& other) noexcept
    : streams_(std::move(other.streams_)),
      regex_(other.regex_),
      compiled_(std::exchange(other.compiled_, false)),
      matched_(other.matched_),
      active_(other.active_) {}

OutputTap::~OutputTap() {
  if (compiled_) ::regfree(&regex_);
}

void OutputTap::close_server_ends() {
  for (auto& stream : streams_) stream.server.reset();
}

void OutputTap::add_pollfds(std::vector<pollfd>& fds) const {
  for (const auto& stream : streams_) {
    if (!stream.ours.valid()) continue;
    if (writable(stream.out))
      fds.push_back({stream.ours.get(), POLLIN, 0});
    else
      fds.push_back({stream.out, POLLOUT, 0});
  }
}

void OutputTap::pump() {
  std::array<char, kChunk> buffer{};
  for (auto& stream : streams_) {
    if (!stream.ours.valid() || !writable(stream.out)) continue;
    const auto size = core::retry_eintr([&] { return ::read(stream.ours.get(), buffer.data(), buffer.size()); });
    if (size == 0) {
      stream.ours.reset();
    } else if (size > 0) {
      active_ = true;
      const std::string_view data(buffer.data(), static_cast<std::size_t>(size));
      if (!matched_) scan(stream, data);
      // An output that nobody reads: the server gets the SIGPIPE that it would get without us.
      if (!host::write_all(stream.out, data)) stream.ours.reset();
    }
  }
}

bool OutputTap::take_activity() { return std::exchange(active_, false); }

void OutputTap::scan(Stream& stream, std::string_view data) {
  for (const char c : data) {
    if (c == '\n') {
      match(stream.line);
      stream.line.clear();
    } else if (stream.line.size() < kLongestLine) {
      stream.line += c;
    }
  }
  // A prompt without a line end counts as well.
  if (!matched_) match(stream.line);
}

void OutputTap::match(const std::string& line) {
  if (::regexec(&regex_, line.c_str(), 0, nullptr, 0) == 0) matched_ = true;
}

}  // namespace antifreeze::run
