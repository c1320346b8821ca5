#include "host/child_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/fd.h"
#include "host/clock.h"

namespace antifreeze::host {
namespace {

constexpr std::size_t kMaxOutput = 65536;

[[noreturn]] void become(char* const* words, int out, int failed) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null >= 0) ::dup2(null, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::execv(words[0], words);
  const int error = errno;
  (void)::write(failed, &error, sizeof error);
  ::_exit(127);
}

}  // namespace

core::Result<CommandResult> run_command(const std::vector<std::string>& argv, core::Nanos limit) {
  std::vector<std::string> copies = argv;
  std::vector<char*> words;
  for (auto& word : copies) words.push_back(word.data());
  words.push_back(nullptr);
  std::array<int, 2> out{};
  std::array<int, 2> failed{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0) return core::errno_error("making a pipe", errno);
  core::Fd out_read(out[0]), out_write(out[1]);
  if (::pipe2(failed.data(), O_CLOEXEC) != 0) return core::errno_error("making a pipe", errno);
  core::Fd failed_read(failed[0]), failed_write(failed[1]);
  const pid_t child = ::fork();
  if (child < 0) return core::errno_error("making a process", errno);
  if (child == 0) become(words.data(), out_write.get(), failed_write.get());
  out_write.reset();
  failed_write.reset();

  CommandResult result;
  const RealClock clock;
  const auto end = clock.monotonic() + limit;
  bool late = false;
  std::array<char, 4096> buffer;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock.monotonic()).count();
    pollfd wanted{out_read.get(), POLLIN, 0};
    const int ready = left <= 0 ? 0 : core::retry_eintr([&] { return ::poll(&wanted, 1, static_cast<int>(left)); });
    late = ready == 0;
    if (ready != 1) break;
    const auto got = core::retry_eintr([&] { return ::read(out_read.get(), buffer.data(), buffer.size()); });
    if (got <= 0) break;
    const auto room = kMaxOutput - result.output.size();
    result.output.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
  }
  if (late) ::kill(child, SIGKILL);
  int status = 0;
  if (core::retry_eintr([&] { return ::waitpid(child, &status, 0); }) != child) {
    return core::errno_error("waiting for " + argv.front(), errno);
  }
  if (late) return core::Error(core::ErrorCode::kTimeout, argv.front() + " did not end in time");
  int error = 0;
  if (core::retry_eintr([&] { return ::read(failed_read.get(), &error, sizeof error); }) == sizeof error) {
    return core::errno_error("running " + argv.front(), error);
  }
  result.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace antifreeze::host
