#include "core/result.h"

#include <cerrno>
#include <cstring>

namespace antifreeze::core {
namespace {

ErrorCode code_of(int sys_errno) {
  switch (sys_errno) {
    case ENOENT:
    case ENOTDIR:
    case ESRCH:
      return ErrorCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kPermission;
    case ENOSYS:
    case EOPNOTSUPP:
      return ErrorCode::kUnsupported;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
      return ErrorCode::kFull;
    case ELOOP:
    case ESTALE:
      return ErrorCode::kTampered;
    case ETIMEDOUT:
      return ErrorCode::kTimeout;
    case EINVAL:
    case ENAMETOOLONG:
      return ErrorCode::kInvalid;
    default:
      return ErrorCode::kSystem;
  }
}

}  // namespace

Error errno_error(std::string_view doing, int sys_errno) {
  std::string what(doing);
  what += ": ";
  // strerrordesc_np is never translated: no locale data in the static program.
  const char* text = strerrordesc_np(sys_errno);
  what += text != nullptr ? text : "unknown error";
  return {code_of(sys_errno), std::move(what), sys_errno};
}

}  // namespace antifreeze::core
