// One line for the system's log (journald, rsyslog), without the C library's syslog(3), which may wait.
#pragma once

#include <string>
#include <string_view>

namespace antifreeze::host {

enum class LogLevel { kWarning = 4, kInfo = 6 };

/// Sends `line` as `ident` to the log's socket. Never waits; where nobody listens, or the socket is full, the line is
/// lost and false comes back. Control characters do not travel.
bool send_to_syslog(const std::string& socket_path, std::string_view ident, LogLevel level, std::string_view line);

}  // namespace antifreeze::host
