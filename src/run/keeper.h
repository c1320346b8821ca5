// The keeper: the half of the wrapper that is the server's parent (docs/gate-protocol.md, rule X1).
//
// Front and keeper share the ticket's lock by fork and never exec. If either dies, the other one ends the tree, waits
// until no process is left, and only then lets the lock go. So SIGKILL of one of them cannot leave a half-loaded
// server behind the next one's back.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/fd.h"
#include "core/result.h"
#include "host/clock.h"
#include "host/proc_tree.h"
#include "host/signals.h"

namespace antifreeze::run {

/// What the keeper needs to start the server.
struct Launch {
  std::vector<std::string> argv;
  std::string path;                      ///< of the program, already resolved
  std::vector<std::string> environment;  ///< complete, "NAME=value"
  int ticket_fd = -1;                    ///< -1: no ticket (the gate was asked to be skipped)
  int stdout_fd = -1;                    ///< -1: inherited
  int stderr_fd = -1;
  std::vector<int> not_for_keeper;  ///< the front's alone: closed in the keeper
};

/// The front's end of it.
struct Keeper {
  pid_t pid = 0;
  core::Fd link;
};

/// Forks the keeper, which forks the server. Returns in the front only.
core::Result<Keeper> start_keeper(const Launch& launch, const host::Signals& signals, const host::Clock& clock,
                                  const host::ProcTree& processes);

/// Left-over processes get this long after SIGTERM.
inline constexpr core::Nanos kLeftoverGrace = std::chrono::seconds(5);

}  // namespace antifreeze::run
