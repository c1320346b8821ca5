// Who and where we are, as far as records need it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.h"

namespace antifreeze::host {

struct Identity {
  std::string boot_id;              ///< /proc/sys/kernel/random/boot_id, the same in every container
  std::uint64_t pid_namespace = 0;  ///< inode of /proc/self/ns/pid, 0 when not readable
  std::string hostname;             ///< of our UTS namespace: a container's own
};

/// Error kNotFound when /proc is not mounted: without it nothing of ours can be told apart from the remains of an
/// earlier boot.
core::Result<Identity> read_identity();

/// The directory that the running program lies in, links resolved; nullopt where /proc does not tell.
std::optional<std::string> program_directory();

}  // namespace antifreeze::host
