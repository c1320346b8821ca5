// The parts of a bundle's config.json (OCI runtime specification) that decide about the gate.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/json_tree.h"
#include "core/result.h"

namespace antifreeze::runtime {

struct Mount {
  std::string destination;
  std::string type;
  std::string source;
  bool bind = false;
  bool read_only = false;
};

struct ContainerSpec {
  std::vector<std::string> args;
  std::vector<std::string> env;  ///< "NAME=value"
  std::vector<std::pair<std::string, std::string>> annotations;
  std::vector<Mount> mounts;
  std::vector<std::string> devices;  ///< paths in /dev
  std::vector<std::string> hooks;    ///< paths of the programs, whatever the stage
  std::string root_path;
  bool security_label = false;  ///< SELinux labels the process: it may run nothing that is not labelled for it

  /// Value of an environment variable; the last of several counts.
  [[nodiscard]] std::optional<std::string> variable(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> annotation(std::string_view name) const;
};

/// kInvalid when there is no process to put a gate in front of, or when a part that would be changed is not there once.
core::Result<ContainerSpec> read_spec(const core::JsonTree& tree);

}  // namespace antifreeze::runtime
