// Changing entries of a directory that is held open by descriptor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "core/result.h"

namespace antifreeze::host {

/// Removes `name`. Not there any more: no error.
core::Status unlink_at(int dirfd, const std::string& name);

/// Renames within one directory; replaces what stood there.
core::Status rename_at(int dirfd, const std::string& from, const std::string& to);

/// Reserves `bytes` for the file, so that later writes cannot meet a full file system. kFull when there is no room.
/// A file system without fallocate(2) is no error: the first write then does the same.
core::Status allocate(int fd, off_t bytes);

/// Cuts the file to nothing.
core::Status truncate_empty(int fd);

/// Sets permission bits whatever the umask said at creation.
core::Status set_mode(int fd, mode_t mode);

/// What fstat(2) tells.
struct FileInfo {
  std::uint64_t size_bytes = 0;
  std::uint64_t links = 0;  ///< 0: unlinked
  std::uint64_t inode = 0;
  uid_t owner = 0;
  mode_t mode = 0;  ///< permission bits only
};
core::Result<FileInfo> file_info(int fd);

/// Makes directory `path` (mode as given, whatever the umask) where it is missing; parents too, with mode 0755.
core::Status make_dirs(const std::string& path, mode_t mode);

}  // namespace antifreeze::host
