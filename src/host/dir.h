// Directories and files that other containers can write to: opened by descriptor, never through a link, read up to a
// bound. What does not look like what we put there is an error of kind kTampered, not something to follow.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/fd.h"
#include "core/result.h"
#include "readings/mount_fs.h"

namespace antifreeze::host {

/// Opens /dev/null in place of each of descriptors 0 to 2 that is closed, close-on-exec: otherwise the next file that
/// is opened would become stderr, and messages would go into it.
void reserve_standard_fds();

/// Opens directory `path`, relative to `at` (AT_FDCWD for the working directory). A link in the last place is
/// kTampered, anything else that is no directory kInvalid, nothing there kNotFound.
core::Result<core::Fd> open_dir(int at, const std::string& path);

/// Opens `name` in `dirfd`, which must be a regular file: a link, FIFO, socket, device or directory is kTampered and is
/// never waited for. `flags` is an access mode, with O_CREAT|O_EXCL if a new file is meant (then with `mode`).
core::Result<core::Fd> open_regular_at(int dirfd, const std::string& name, int flags, mode_t mode = 0600);

/// What list_names found.
struct NameList {
  std::vector<std::string> names;  ///< sorted by bytes, without "." and ".."
  bool truncated = false;          ///< there were more than asked for; which ones are here is then arbitrary
};

/// Calls `visit(name, context)` for each name in directory `dirfd`, in the kernel's order, without "." and "..", until
/// it returns false. Takes its own open file description, so that processes that share `dirfd` after a fork can list at
/// the same time.
core::Status for_each_name(int dirfd, bool (*visit)(const char* name, void* context), void* context);

/// The same with anything callable.
template <typename Visit>
core::Status for_each_name(int dirfd, Visit visit) {
  return for_each_name(
      dirfd, [](const char* name, void* context) { return (*static_cast<Visit*>(context))(name); }, &visit);
}

/// The names in directory `dirfd`, at most `max` of them.
core::Result<NameList> list_names(int dirfd, std::size_t max);

/// Reads from the current offset to the end. More than `max` bytes are kInvalid ("too large"), not cut.
core::Result<std::string> read_all(int fd, std::size_t max);
/// Reads from offset 0 to the end without moving the offset; at most `max` bytes, what lies behind is left out.
core::Result<std::string> pread_all(int fd, std::size_t max);
/// Reads from the current offset to the end, a block of whole lines at a time, so that a long table needs no more
/// memory than a short one. Lines of more than 64 KiB are left out.
core::Status for_each_block(int fd, void (*visit)(std::string_view lines, void* context), void* context);

/// The same with anything callable.
template <typename Visit>
core::Status for_each_block(int fd, Visit visit) {
  return for_each_block(
      fd, [](std::string_view lines, void* context) { (*static_cast<Visit*>(context))(lines); }, &visit);
}

/// Opens and reads a regular file in `dirfd`: open_regular_at and read_all.
core::Result<std::string> read_file_at(int dirfd, const std::string& name, std::size_t max);

/// Writes all of `data` at the current offset (a file opened with O_APPEND: at its end, in one call where possible).
core::Status write_all(int fd, std::string_view data);
/// Writes all of `data` at `offset`.
core::Status pwrite_all(int fd, std::string_view data, off_t offset);

/// Puts `content` under `name` in `dirfd` in one step: readers see the old file or the whole new one. `mode` is set
/// whatever the umask says. With `sync` it also outlives a power cut (file and directory are fsynced).
core::Status write_file_atomic(int dirfd, const std::string& name, std::string_view content, mode_t mode, bool sync);

/// `bytes` random bytes as 2 × `bytes` lower-case hex digits, from getrandom(2).
core::Result<std::string> random_hex(std::size_t bytes);

/// Whether the open file `fd` is still what `name` in `dirfd` stands for (false: unlinked or replaced).
core::Result<bool> is_same_file(int fd, int dirfd, const std::string& name);

/// Which file system the open file or directory `fd` lies on.
core::Result<readings::FileSystemKind> file_system_of(int fd);

}  // namespace antifreeze::host
