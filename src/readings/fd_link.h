// Targets of the links under /proc/PID/fd and /proc/PID/ns.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace antifreeze::readings {

/// The number in "KIND:[123]", as in "socket:[123]" or "net:[4026531840]"; nullopt for any other text.
std::optional<std::uint64_t> link_inode(std::string_view target, std::string_view kind);

/// The inode of a socket's descriptor link, to be looked up in /proc/net/tcp, tcp6 and unix.
std::optional<std::uint64_t> socket_inode(std::string_view target);

}  // namespace antifreeze::readings
