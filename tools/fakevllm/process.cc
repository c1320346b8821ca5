#include "fakevllm/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/text.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace antifreeze::fakevllm {
namespace {

void write_line(int fd, std::string_view line) {
  std::string text(line);
  text += '\n';
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t wrote = write(fd, text.data() + at, text.size() - at);
    if (wrote <= 0) return;
    at += static_cast<std::size_t>(wrote);
  }
}

}  // namespace

TitleArea::TitleArea(int argc, char** argv) {
  if (argc < 1) return;
  begin_ = argv[0];
  char* end = nullptr;
  for (int i = 0; i < argc; ++i) {
    if (i == 0 || end + 1 == argv[i]) end = argv[i] + std::strlen(argv[i]);
  }
  argv_end_ = end;
  std::size_t count = 0;
  for (; environ[count] != nullptr; ++count) {
    if (end + 1 == environ[count]) end = environ[count] + std::strlen(environ[count]);
  }
  area_end_ = end;
  auto** moved = static_cast<char**>(std::calloc(count + 1, sizeof(char*)));
  if (moved == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) moved[i] = strdup(environ[i]);
  environ = moved;
}

void TitleArea::set(std::string_view title, bool keep_environ) const {
  set_comm(title);
  if (begin_ == nullptr) return;
  char* end = keep_environ ? argv_end_ : area_end_;
  const auto room = static_cast<std::size_t>(end - begin_);
  const std::size_t length = title.size() < room ? title.size() : room;
  std::memcpy(begin_, title.data(), length);
  std::memset(begin_ + length, 0, room - length);
}

void set_comm(std::string_view name) { (void)prctl(PR_SET_NAME, std::string(name).c_str()); }

std::uint64_t pid_namespace() {
  struct stat file{};
  return stat("/proc/self/ns/pid", &file) == 0 ? file.st_ino : 0;
}

std::uint64_t start_time() {
  std::array<char, 1024> buffer{};
  const int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t size = read(fd, buffer.data(), buffer.size() - 1);
  close(fd);
  std::string_view text(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  // comm may hold blanks and parentheses, so count from the last ')': the next word is field 3.
  const auto paren = text.rfind(')');
  if (paren == std::string_view::npos) return 0;
  const auto words = core::split_words(text.substr(paren + 1));
  return words.size() > 19 ? core::parse_uint(words[19]).value_or(0) : 0;
}

void close_descriptors(int keep) {
  const auto range = [](unsigned from, unsigned to) {
    if (from > to || syscall(SYS_close_range, from, to, 0) == 0) return;
    // An emulator or an old kernel without close_range.
    for (unsigned fd = from; fd <= to && fd < 4096; ++fd) close(static_cast<int>(fd));
  };
  if (keep < 3) {
    range(3, ~0U);
    return;
  }
  range(3, static_cast<unsigned>(keep) - 1);
  range(static_cast<unsigned>(keep) + 1, ~0U);
}

void say(std::string_view line) { write_line(STDOUT_FILENO, line); }
void say_error(std::string_view line) { write_line(STDERR_FILENO, line); }

int make_signal_fd(bool with_child, bool ignore_term) {
  sigset_t set;
  sigemptyset(&set);
  (void)std::signal(SIGPIPE, SIG_IGN);
  if (ignore_term) {
    (void)std::signal(SIGTERM, SIG_IGN);
    (void)std::signal(SIGINT, SIG_IGN);
  } else {
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
  }
  if (with_child) sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_SETMASK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int next_signal(int signal_fd) {
  signalfd_siginfo info{};
  return read(signal_fd, &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info)) ? static_cast<int>(info.ssi_signo)
                                                                                    : 0;
}

void block_for_ever() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  for (;;) pause();
}

void die_by_signal(int signal) {
  const rlimit none{0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
  (void)std::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigprocmask(SIG_SETMASK, &set, nullptr);
  (void)raise(signal);
  _exit(128 + signal);  // PID 1 does not die by a signal it has no handler for
}

int signal_number(std::string_view name) {
  struct Named {
    std::string_view name;
    int number;
  };
  static constexpr std::array<Named, 10> kNamed{{{"SEGV", SIGSEGV},
                                                 {"KILL", SIGKILL},
                                                 {"ABRT", SIGABRT},
                                                 {"TERM", SIGTERM},
                                                 {"INT", SIGINT},
                                                 {"BUS", SIGBUS},
                                                 {"ILL", SIGILL},
                                                 {"QUIT", SIGQUIT},
                                                 {"HUP", SIGHUP},
                                                 {"STOP", SIGSTOP}}};
  if (name.starts_with("SIG")) name.remove_prefix(3);
  for (const auto& named : kNamed) {
    if (named.name == name) return named.number;
  }
  const auto number = core::parse_uint(name);
  return number && *number < 65 ? static_cast<int>(*number) : 0;
}

}  // namespace antifreeze::fakevllm
