// Finding the command before anything waits for it, and becoming it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/result.h"
#include "host/signals.h"

namespace antifreeze::run {

/// The file that execve(2) will be given for `word`: searched in `path_variable` (PATH; "" for the usual places) unless
/// it has a slash. kNotFound: exit 127; kPermission: it is there but cannot be run, exit 126.
core::Result<std::string> resolve_command(const std::string& word, const std::string& path_variable);

/// Becomes the command, in this process. Comes back only when that failed: the errno.
int become_command(const std::string& path, const std::vector<std::string>& argv,
                   const std::vector<std::string>& environment, const host::Signals& signals);

/// What came of starting it. A child whose exec failed ends with 127 and has to be reaped like any other.
struct Spawned {
  pid_t pid = 0;   ///< 0: not even a child
  int failed = 0;  ///< errno of vfork or exec
};

/// Starts the command in a process group of its own, with the signals as the wrapper found them; `out` and `err` become
/// its output where they are not -1. The caller's memory is not copied for it (posix_spawn(3)), and exec is over when
/// this returns.
Spawned spawn_command(const std::string& path, const std::vector<std::string>& argv,
                      const std::vector<std::string>& environment, int out, int err, const host::Signals& signals);

}  // namespace antifreeze::run
