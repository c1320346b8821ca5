// File locks as the kernel lists them: "lock:" lines of /proc/PID/fdinfo/FD, and /proc/locks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace antifreeze::readings {

/// One lock. In /proc/locks an OFD lock has no owner (pid −1): only the fdinfo of a process that has the file open
/// tells who holds it.
struct FileLock {
  std::string type;  ///< "OFDLCK", "POSIX", "FLOCK", "LEASE" …
  bool write = false;
  bool blocked = false;  ///< waits for the lock instead of holding it ("->" in /proc/locks)
  std::int64_t pid = -1;
  std::uint32_t dev_major = 0;
  std::uint32_t dev_minor = 0;
  std::uint64_t inode = 0;
  std::uint64_t start = 0;
  std::optional<std::uint64_t> end;  ///< absent = to the end of the file, however far it grows

  friend bool operator==(const FileLock&, const FileLock&) = default;
};

/// The locks held through one descriptor. Other fdinfo lines and malformed ones are skipped.
std::vector<FileLock> parse_fdinfo_locks(std::string_view text);

/// Every line of /proc/locks; malformed ones are skipped.
std::vector<FileLock> parse_proc_locks(std::string_view text);

}  // namespace antifreeze::readings
