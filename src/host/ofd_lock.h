// Locks that belong to an open file description (F_OFD_*, fcntl(2)): they go when its last descriptor is closed, in
// whatever way its owner dies, and work between containers. All of them cover the whole file.
#pragma once

#include "core/result.h"

namespace antifreeze::host {

enum class LockKind {
  kRead,   ///< shared; needs a descriptor that may read
  kWrite,  ///< exclusive; needs a descriptor that may write
};

/// Takes the lock if nobody else holds one against it. False: somebody does.
/// kUnsupported where the file system has no such locks (old kernels, some network file systems).
core::Result<bool> try_lock(int fd, LockKind kind);

enum class LockWait {
  kLocked,
  kInterrupted,  ///< a signal handler ran first; nothing was taken
};

/// Sleeps until the lock is ours. On EINTR it returns kInterrupted instead of sleeping on: the caller looks at what the
/// signal wanted and calls again.
core::Result<LockWait> wait_lock(int fd, LockKind kind);

/// Whether another open file description holds a lock that stands against `kind`. Takes nothing and waits for nothing;
/// any descriptor will do. The asker's own locks do not count.
core::Result<bool> is_locked_against(int fd, LockKind kind);

/// Drops the lock at once, also where a copy of the descriptor leaked into another process. No lock: no error.
core::Status unlock(int fd);

}  // namespace antifreeze::host
