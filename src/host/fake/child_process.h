// A real child process for tests, ended when the test ends.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/fd.h"

namespace antifreeze::host::fake {

class ChildProcess {
 public:
  /// Forks; the child calls `run(say)`, where `say(text)` sends text to the parent, then waits to be killed.
  template <typename Run>
  explicit ChildProcess(Run run) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ < 0) std::abort();
    if (pid_ == 0) {
      ::close(ends[0]);
      run([&](const std::string& text) { (void)!::write(ends[1], text.data(), text.size()); });
      for (;;) ::pause();
    }
    ::close(ends[1]);
    said_ = core::Fd(ends[0]);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { end(); }

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// What the child says next, up to `size` bytes; "" when it has exec'ed or ended. Waits at most 10 s.
  [[nodiscard]] std::string hear(std::size_t size = 4096) const {
    pollfd wait{said_.get(), POLLIN, 0};
    if (::poll(&wait, 1, 10'000) != 1) return "(nothing for 10 s)";
    std::string text(size, '\0');
    const auto got = ::read(said_.get(), text.data(), size);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
  }
  /// Kills the child and takes its exit away.
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
  core::Fd said_;
};

}  // namespace antifreeze::host::fake
