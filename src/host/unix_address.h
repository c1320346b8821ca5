// Addresses of unix sockets, as people and environments write them.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <optional>
#include <string_view>

namespace antifreeze::host {

struct UnixAddress {
  sockaddr_un address{};
  socklen_t size = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

/// From an absolute path or "@name" (abstract). nullopt for anything else and for what is longer than 107 bytes.
std::optional<UnixAddress> unix_address(std::string_view name);

}  // namespace antifreeze::host
