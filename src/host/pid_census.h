// Whether a process that named itself by its pid, perhaps in a container of its own, still runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"

namespace antifreeze::host {

enum class Life {
  kAlive,
  kGone,
  kUnknown,  ///< it would be outside of what we can see: another container, or a /proc that hides other users'
};

/// How a process described itself.
struct SelfNamed {
  std::int64_t pid = 0;                        ///< in its own PID namespace
  std::optional<std::uint64_t> pid_namespace;  ///< inode of it; nullopt: it did not say
  core::BootTime seen;                         ///< when it did: whatever began later is another one
};

/// All processes of one moment.
class PidCensus {
 public:
  /// Reads /proc once. An error: there is none.
  static core::Result<PidCensus> take(const std::string& proc_root = "/proc");

  [[nodiscard]] Life of(const SelfNamed& process) const;

 private:
  struct Entry {
    std::int64_t pid = 0;                        ///< innermost
    std::optional<std::uint64_t> pid_namespace;  ///< nullopt: we may not look
    core::BootTime started;
  };

  std::vector<Entry> entries_;
  std::uint64_t own_namespace_ = 0;  ///< 0: not readable
  bool hides_others_ = false;        ///< mounted with hidepid
};

}  // namespace antifreeze::host
