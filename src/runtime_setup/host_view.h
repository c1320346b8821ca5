// Where Docker keeps its things on this host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "host/daemon_process.h"
#include "runtime_setup/setup_types.h"

namespace antifreeze::runtime_setup {

struct HostView {
  Paths paths;  ///< resolved
  std::optional<host::DaemonProcess> dockerd;
};

/// Fills in what `paths` leaves open.
HostView look_at_host(Paths paths);

/// A whole file; nullopt when it is not there. kTampered for a link.
core::Result<std::optional<std::string>> read_if_there(const std::string& path);

/// "--name value" or "--name=value" on a command line.
std::optional<std::string> option_value(const std::vector<std::string>& argv, const std::string& name);

/// The containers, running or not, that name one of our runtimes.
std::vector<User> find_users(const std::string& docker_root);

/// What the real runtime still keeps of our containers that have ended: folders EXEC_ROOT/runtime-NAME/moby, each with
/// full ids. A broken copy could not clear them away, and with them a container does not start again.
struct Remains {
  std::string root;
  std::vector<std::string> ids;
};
std::vector<Remains> find_remains(const HostView& view);

/// A file that gives dockerd --add-runtime; "" for none.
std::string adds_runtimes_elsewhere(const HostView& view);

}  // namespace antifreeze::runtime_setup
