// What `antifreeze runtime` knows about this host.
#pragma once

#include <string>
#include <vector>

#include "runtime/settings.h"
#include "runtime_setup/daemon_json.h"

namespace antifreeze::runtime_setup {

struct Paths {
  std::string folder{runtime::kDefaultFolder};  ///< of the stable copies
  std::string daemon_json;                      ///< "": as the running dockerd was told, else /etc/docker/daemon.json
  std::string docker_root;                      ///< "": as dockerd or daemon.json say, else /var/lib/docker
  std::string pidfile;                          ///< "": as daemon.json says, else /var/run/docker.pid
  std::vector<std::string> programs;            ///< folders in which the package's own programs are looked for
  /// Files that may start dockerd with --add-runtime beside daemon.json's runtimes, with which it would not start.
  std::vector<std::string> docker_files{"/etc/default/docker", "/etc/systemd/system/docker.service",
                                        "/lib/systemd/system/docker.service", "/etc/systemd/system/docker.service.d"};
};

/// A container that names one of our runtimes.
struct User {
  std::string id;  ///< as `docker ps` shows it
  std::string name;
  std::string runtime;
  std::string full_id;
};

enum class CopyState { kSame, kDifferent, kMissing, kNotExecutable };

struct Copy {
  std::string name;
  CopyState state = CopyState::kMissing;
};

struct Status {
  Paths paths;  ///< resolved: nothing is empty
  bool installed = false;
  bool pass_through = false;
  bool dockerd_runs = false;
  std::string daemon_json_error;  ///< it cannot be read or understood; "" when it can
  DaemonJsonView daemon_json;
  std::vector<Copy> copies;
  std::vector<User> users;
  std::vector<std::string> remarks;  ///< the newest remarks and failures of runtime.log, oldest first
};

struct Finding {
  std::string id;
  std::string message;
  std::string fix;
};

/// What is wrong with it; empty when the host is as install left it, or when nothing was ever installed. Pure; doctor
/// uses it too.
std::vector<Finding> findings(const Status& status);

/// What install or remove did, or would do.
struct Report {
  std::vector<std::string> steps;
  std::vector<std::string> notes;
  std::string difference;   ///< of daemon.json, "" for none
  std::vector<User> users;  ///< remove: why the copies stay
};

}  // namespace antifreeze::runtime_setup
