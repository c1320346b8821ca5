// Whose socket answers? With SO_REUSEPORT, host networking or a stale server, a health probe may reach a neighbour.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "host/probe_target.h"
#include "host/proc_tree.h"

namespace antifreeze::host {

enum class SocketOwner {
  kNobody,   ///< nothing listens there
  kOwn,      ///< a process of the tree listens
  kForeign,  ///< only others listen
  /// Somebody listens since after the exec, and some process of the tree does not let us look at its descriptors: most
  /// likely ours, and the log must say so.
  kAppearedUnreadable,
};

/// "nobody", "own", "foreign", "appeared since exec".
std::string_view to_string(SocketOwner owner);

struct SocketFinding {
  SocketOwner owner = SocketOwner::kNobody;
  std::size_t own = 0;     ///< listening sockets of the tree
  std::size_t others = 0;  ///< listening sockets that are not known to be ours; with own > 0 a probe may reach either
};

/// Inodes of what listens at `address` now, in the network namespace of `pid` (0: ours). For TCP only sockets that a
/// connection to that address can reach: those bound to it, or else those bound to every address. Taken before the
/// exec, this is the baseline of who_listens.
core::Result<std::vector<std::uint64_t>> listening_at(const ProcTree& tree, const ProbeAddress& address, pid_t pid = 0);

/// Who listens at `address`, as seen for the process `root` and everything below it.
core::Result<SocketFinding> who_listens(const ProcTree& tree, pid_t root, const ProbeAddress& address,
                                        const std::vector<std::uint64_t>& baseline);

}  // namespace antifreeze::host
