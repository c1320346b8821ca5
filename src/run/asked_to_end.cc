#include <sys/wait.h>

#include <algorithm>
#include <array>

#include "run/context.h"

namespace antifreeze::run {

namespace {
constexpr std::array kEndSignals{SIGTERM, SIGINT, SIGQUIT, SIGHUP};
}  // namespace

bool end_is_asked() {
  const auto noted = host::Signals::noted();
  return std::ranges::any_of(kEndSignals, [&](int signal) { return (noted & host::signal_bit(signal)) != 0; });
}

std::optional<int> asked_to_end() {
  const auto noted = host::Signals::take();
  if ((noted & host::signal_bit(SIGCHLD)) != 0) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
  for (const int signal : kEndSignals) {
    if ((noted & host::signal_bit(signal)) != 0) return signal;
  }
  return std::nullopt;
}

}  // namespace antifreeze::run
