// Safe boot: a host that froze again and again right after it came up must not start the same servers once more by
// itself. Pure.
#pragma once

#include <span>
#include <string>

#include "core/result.h"
#include "core/time.h"

namespace antifreeze::gate {

/// One boot as the keeper remembers it.
struct BootEntry {
  std::string boot_id;
  core::WallTime started;     ///< 0 = unknown
  bool ended_clean = false;   ///< somebody wrote down that it was shut down
  bool acknowledged = false;  ///< a person said go on: how the boots before this one ended does not count any more
  friend bool operator==(const BootEntry&, const BootEntry&) = default;
};

struct SafeBootPolicy {
  int unclean_boots = 3;  ///< 0 = never
  core::Nanos within = std::chrono::hours(1);
};

struct SafeBootVerdict {
  bool safe_boot = false;
  int unclean = 0;     ///< how many counted
  std::string reason;  ///< one sentence, "" when not
};

/// `boots` oldest first; the last one is the boot that runs now. Nobody saw when an unclean boot ended, so the start
/// of the next one stands for it. A wall clock that was set back, or unknown, counts as "just now".
SafeBootVerdict decide_safe_boot(std::span<const BootEntry> boots, core::WallTime now, const SafeBootPolicy& policy);

/// Name of the file in the gate directory that says so.
inline constexpr std::string_view kSafeBootFile = "safe-boot";

/// Its content, and back. Error kTampered on anything else.
std::string encode_safe_boot(std::string_view reason, core::WallTime since);
core::Result<std::string> decode_safe_boot(std::string_view file);

}  // namespace antifreeze::gate
