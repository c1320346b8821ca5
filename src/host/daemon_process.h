// A daemon that left its pid in a file.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace antifreeze::host {

struct DaemonProcess {
  pid_t pid = 0;
  std::vector<std::string> argv;
};

/// The process whose number is in `pidfile`, when it runs and its program's name is `name`: a number that somebody else
/// has got since does not count.
std::optional<DaemonProcess> find_daemon(const std::string& pidfile, const std::string& name);

/// Asks it to read its configuration again (SIGHUP).
core::Status reload_daemon(const DaemonProcess& daemon);

}  // namespace antifreeze::host
