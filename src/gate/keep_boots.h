// What the host's side remembers of the last boots, in the state directory: the food of decide_safe_boot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "gate/safe_boot_decide.h"

namespace antifreeze::gate {

inline constexpr std::string_view kBootsFile = "boots";
inline constexpr std::size_t kMaxBootsKept = 32;

/// The boots file: one line a boot, each with its own checksum, so that a torn line costs one boot.
struct BootList {
  std::vector<BootEntry> boots;  ///< oldest first, at most kMaxBootsKept
  std::size_t damaged = 0;       ///< lines that were left out
};

std::string encode_boots(const std::vector<BootEntry>& boots);
BootList decode_boots(std::string_view file);

/// Adds this boot, or says of the last one that it runs (a keeper that was stopped and started again has marked it as
/// ended). Drops the oldest beyond kMaxBootsKept.
void note_boot(std::vector<BootEntry>& boots, std::string_view boot_id, core::WallTime now);

/// Reads, changes and writes the list back in state directory `state_fd`, with fsync. A missing file is an empty list.
/// `change` gets the list; returns what was written.
core::Result<BootList> read_boots(int state_fd);
core::Status write_boots(int state_fd, const std::vector<BootEntry>& boots);

}  // namespace antifreeze::gate
