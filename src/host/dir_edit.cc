#include "host/dir_edit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "core/fd.h"

namespace antifreeze::host {

using core::errno_error;
using core::retry_eintr;

core::Status unlink_at(int dirfd, const std::string& name) {
  if (::unlinkat(dirfd, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  return errno_error("remove " + name, errno);
}

core::Status rename_at(int dirfd, const std::string& from, const std::string& to) {
  if (::renameat(dirfd, from.c_str(), dirfd, to.c_str()) == 0) return {};
  return errno_error("rename " + from + " to " + to, errno);
}

core::Status allocate(int fd, off_t bytes) {
  if (retry_eintr([&] { return ::fallocate(fd, 0, 0, bytes); }) == 0) return {};
  if (errno == EOPNOTSUPP || errno == ENOSYS) return {};
  return errno_error("reserve space", errno);
}

core::Status truncate_empty(int fd) {
  if (retry_eintr([&] { return ::ftruncate(fd, 0); }) == 0) return {};
  return errno_error("truncate", errno);
}

core::Status set_mode(int fd, mode_t mode) {
  if (::fchmod(fd, mode) == 0) return {};
  return errno_error("set mode", errno);
}

core::Result<FileInfo> file_info(int fd) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return errno_error("stat", errno);
  return FileInfo{static_cast<std::uint64_t>(info.st_size), info.st_nlink, info.st_ino, info.st_uid,
                  info.st_mode & 07777U};
}

core::Status make_dirs(const std::string& path, mode_t mode) {
  for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
    const bool last = at == std::string::npos;
    const auto part = path.substr(0, at);
    if (!part.empty() && part.back() != '/') {
      if (::mkdir(part.c_str(), 0755) == 0) {
        if (last && ::chmod(part.c_str(), mode) != 0) return errno_error("set mode of " + part, errno);
      } else if (errno != EEXIST) {
        return errno_error("make directory " + part, errno);
      }
    }
    if (last) return {};
  }
}

}  // namespace antifreeze::host
