#include "host/ofd_lock.h"

#include <fcntl.h>

#include <cerrno>

#include "core/fd.h"

namespace antifreeze::host {
namespace {

using core::errno_error;
using core::Error;
using core::ErrorCode;
using core::Result;
using core::Status;

struct flock whole_file(short type) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  // l_start = l_len = 0 is everything; l_pid must be 0 for F_OFD_* or the kernel answers EINVAL.
  return lock;
}

short type_of(LockKind kind) { return kind == LockKind::kRead ? F_RDLCK : F_WRLCK; }

Error lock_error(const char* doing, int sys_errno) {
  if (sys_errno == EINVAL || sys_errno == ENOLCK || sys_errno == ENOSYS || sys_errno == EOPNOTSUPP) {
    return {ErrorCode::kUnsupported, std::string(doing) + ": this file system has no open-file-description locks",
            sys_errno};
  }
  return errno_error(doing, sys_errno);
}

}  // namespace

Result<bool> try_lock(int fd, LockKind kind) {
  struct flock lock = whole_file(type_of(kind));
  if (core::retry_eintr([&] { return ::fcntl(fd, F_OFD_SETLK, &lock); }) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  return lock_error("taking a lock", errno);
}

Result<LockWait> wait_lock(int fd, LockKind kind) {
  struct flock lock = whole_file(type_of(kind));
  if (::fcntl(fd, F_OFD_SETLKW, &lock) == 0) return LockWait::kLocked;
  if (errno == EINTR) return LockWait::kInterrupted;
  return lock_error("waiting for a lock", errno);
}

Result<bool> is_locked_against(int fd, LockKind kind) {
  struct flock lock = whole_file(type_of(kind));
  if (core::retry_eintr([&] { return ::fcntl(fd, F_OFD_GETLK, &lock); }) != 0) {
    return lock_error("asking for a lock", errno);
  }
  return lock.l_type != F_UNLCK;
}

Status unlock(int fd) {
  struct flock lock = whole_file(F_UNLCK);
  if (core::retry_eintr([&] { return ::fcntl(fd, F_OFD_SETLK, &lock); }) == 0) return {};
  return lock_error("releasing a lock", errno);
}

}  // namespace antifreeze::host
