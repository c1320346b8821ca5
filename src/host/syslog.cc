#include "host/syslog.h"

#include <sys/socket.h>
#include <unistd.h>

#include "core/fd.h"
#include "core/text.h"
#include "host/unix_address.h"

namespace antifreeze::host {

bool send_to_syslog(const std::string& socket_path, std::string_view ident, LogLevel level, std::string_view line) {
  const auto address = unix_address(socket_path);
  if (!address) return false;
  const core::Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return false;
  constexpr int kDaemon = 3;
  const std::string text = "<" + std::to_string(kDaemon * 8 + static_cast<int>(level)) + ">" + std::string(ident) +
                           "[" + std::to_string(::getpid()) + "]: " + core::printable(line, 1000);
  return ::sendto(fd.get(), text.data(), text.size(), MSG_NOSIGNAL, address->get(), address->size) ==
         static_cast<ssize_t>(text.size());
}

}  // namespace antifreeze::host
