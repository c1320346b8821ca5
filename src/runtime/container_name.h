// The name that Docker knows a container by. It is not in the bundle: it stands in Docker's own folder of the
// container.
#pragma once

#include <string>

#include "runtime/spec.h"

namespace antifreeze::runtime {

/// The name without its slash; the first 12 digits of the id where it cannot be found. Docker's folder is found by the
/// files that dockerd mounts from it (/etc/hostname, /etc/hosts, /etc/resolv.conf), else beside the root file system.
std::string docker_name(const ContainerSpec& spec, const std::string& id);

}  // namespace antifreeze::runtime
