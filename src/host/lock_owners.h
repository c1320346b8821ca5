// Which processes hold the lock on a file: open-file-description locks have no owner in /proc/locks, but the fdinfo of
// every process that has the file open shows them.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

namespace antifreeze::host {

/// For each of `fds` (open files, -1 for none) the processes that hold a write lock on that file through a descriptor
/// of theirs, smallest number first. Processes that may not be looked at (another user's) are missing, and so is
/// everything where `proc` is not mounted: an empty list says nothing. `proc` is /proc's path, another one in tests.
std::vector<std::vector<pid_t>> write_lock_owners(std::span<const int> fds, const std::string& proc = "/proc");

}  // namespace antifreeze::host
