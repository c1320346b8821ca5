// Copies what must outlive a reboot between the gate directory (a tmpfs that containers can write to) and the state
// directory (on disk, ours alone). Nothing that containers put there is followed, waited for or believed: only regular
// files with the right name, size, checksum and service are taken.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.h"

namespace antifreeze::gate {

/// More services than this do not share a machine; their records stay in the gate directory only.
inline constexpr std::size_t kMaxBreakersKept = 256;

struct CopyReport {
  std::size_t changed = 0;  ///< files written or removed
  /// What was left out, one clause each. Texts that containers chose are made printable.
  std::vector<std::string> warnings;
};

/// Breakers from `from_fd` to `to_fd`, with owner and fsync where they differ. With `mirror` also removes what the
/// source has no more (a record that was reset away must not come back at the next boot); a file that is there but
/// damaged leaves the last good copy alone. Without it, what the target has is left as it is.
core::Status copy_breakers(int from_fd, int to_fd, bool mirror, CopyReport& report);

/// Saves the event log: appends what is new, starts a new generation when the source did. At most kEventLogBytes each.
core::Status save_log(int gate_fd, int state_fd, CopyReport& report);

/// Puts the saved generations into a gate directory that has none; a torn last line is left out.
core::Status restore_log(int state_fd, int gate_fd, CopyReport& report);

}  // namespace antifreeze::gate
