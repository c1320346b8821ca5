// antifreeze: the command line tool. A table of contents: the verbs are in commands.cc, each in a file of its own.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "cli/dispatch.h"
#include "cli/exit_codes.h"
#include "host/clock.h"
#include "host/dir.h"

namespace {

std::optional<std::string> look_up(std::string_view name, const void*) {
  const char* value = std::getenv(std::string(name).c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

/// Whoever closed our stdout does not want to hear about it.
void write_to(int fd, std::string_view text) { (void)antifreeze::host::write_all(fd, text).has_value(); }

int terminal_columns() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 40) return 80;
  return size.ws_col;
}

}  // namespace

int main(int argc, char** argv, char** environment) {
  const antifreeze::host::RealClock clock;
  antifreeze::cli::Context context{clock, [](std::string_view text) { write_to(STDOUT_FILENO, text); },
                                   [](std::string_view text) { write_to(STDERR_FILENO, text); }};
  context.lookup = look_up;
  context.environment = environment;
  context.colour = ::isatty(STDOUT_FILENO) == 1 && look_up("NO_COLOR", nullptr).value_or("").empty();
  context.columns = terminal_columns();
  const std::vector<std::string_view> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  try {
    return antifreeze::cli::dispatch(context, args);
  } catch (const std::exception& bug) {
    context.err("antifreeze: a bug, please report it: " + std::string(bug.what()) + "\n");
    return antifreeze::cli::kExitSoftware;
  }
}
