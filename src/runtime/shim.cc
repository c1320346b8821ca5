#include "runtime/shim.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <string>
#include <string_view>
#include <vector>

#include "core/fd.h"
#include "core/text.h"
#include "host/clock.h"
#include "host/dir.h"
#include "host/executable.h"
#include "runtime/prepare.h"

namespace antifreeze::runtime {
namespace {

/// A bundle of some 8 MiB takes less than half of this.
constexpr rlim_t kChildMemory = std::size_t{256} << 20U;

std::string_view variable(char** environment, std::string_view name) {
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return "";
}

/// Nothing that the caller waits for may stay open in a child that could hang.
void keep_only(int fd) {
  const auto keep = static_cast<unsigned>(fd);
  if (keep > 0 && ::syscall(SYS_close_range, 0U, keep - 1, 0U) != 0) {
    for (int other = 0; other < fd; ++other) ::close(other);
  }
  if (::syscall(SYS_close_range, keep + 1, UINT_MAX, 0U) != 0) {
    for (int other = fd + 1; other < 1024; ++other) ::close(other);
  }
}

[[noreturn]] void be_the_child(const Job& job, int done) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_DUMPABLE, 0);
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::signal(number, SIG_DFL);
  const rlimit memory{kChildMemory, kChildMemory};
  ::setrlimit(RLIMIT_AS, &memory);
  const rlimit core{0, 0};
  ::setrlimit(RLIMIT_CORE, &core);
  keep_only(done);
  const host::RealClock clock;
  record(job, prepare(job), clock);
  (void)host::write_all(done, "d").has_value();
  ::_exit(0);
}

/// Waits for the child within the budget. "" when it did its work, else what went wrong.
std::string watch(pid_t child, int done, int budget_ms) {
  pollfd wanted{done, POLLIN, 0};
  const int ready = core::retry_eintr([&] { return ::poll(&wanted, 1, budget_ms); });
  char byte = 0;
  if (ready == 1 && core::retry_eintr([&] { return ::read(done, &byte, 1); }) == 1) {
    (void)core::retry_eintr([&] { return ::waitpid(child, nullptr, 0); });
    return "";
  }
  if (ready == 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, WNOHANG);  // stuck in the kernel, it may take its time to die
    return "it took longer than " + std::to_string(budget_ms) + " ms";
  }
  int status = 0;
  if (core::retry_eintr([&] { return ::waitpid(child, &status, 0); }) == child && WIFSIGNALED(status)) {
    return "it crashed with signal " + std::to_string(WTERMSIG(status));
  }
  return "it ended early";
}

void prepare_in_a_child(const Job& job) {
  std::string wrong;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    wrong = "no pipe";
  } else {
    core::Fd read_end(ends[0]);
    core::Fd write_end(ends[1]);
    const pid_t child = ::fork();
    if (child == 0) be_the_child(job, write_end.get());
    write_end.reset();
    wrong = child < 0 ? "no process can be made" : watch(child, read_end.get(), job.settings.budget_ms);
  }
  if (wrong.empty()) return;
  Outcome outcome;
  outcome.failed = true;
  outcome.reason = "looking at its bundle: " + wrong;
  record(job, outcome, host::RealClock());
}

Settings read_settings(const std::string& folder) {
  const auto dir = host::open_dir(AT_FDCWD, folder);
  if (!dir) return {};
  const auto text = host::read_file_at(dir->get(), std::string(kSettingsName), 64 * 1024);
  return text ? parse_settings(*text) : Settings();
}

}  // namespace

int shim_main(int argc, char** argv, char** environment) {
  const auto flavour = flavour_of(argc > 0 ? argv[0] : "");
  const auto own = host::own_executable();
  const std::string self = own ? *own : "";
  const auto folder = own ? self.substr(0, self.rfind('/')) : std::string(kDefaultFolder);
  const auto settings = read_settings(folder);
  const auto& wanted = flavour == Flavour::kNvidia ? settings.nvidia : settings.runc;
  const auto real = host::find_program(wanted, variable(environment, "PATH"), self);

  const std::vector<std::string_view> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (const auto call = read_create(args); call && real) {
    if (::access((folder + "/" + std::string(kPassThroughName)).c_str(), F_OK) != 0) {
      prepare_in_a_child({*call, flavour, folder, settings});
    }
  }
  std::string why;
  int code = 127;
  if (real) {
    std::vector<char*> words(argv, argv + argc);
    std::string name = *real;
    if (words.empty()) words.push_back(name.data());
    words[0] = name.data();
    words.push_back(nullptr);
    ::execve(real->c_str(), words.data(), environment);
    why = core::errno_error(*real + " cannot be run", errno).message();
    code = 126;
  } else {
    why = "the real runtime is missing: " + real.error().message();
  }
  (void)host::write_all(STDERR_FILENO, "antifreeze-runtime: " + why + "\n").has_value();
  return code;
}

}  // namespace antifreeze::runtime
