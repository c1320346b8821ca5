// What belongs to us in Docker's daemon.json: two entries under "runtimes". Pure: text in, text out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace antifreeze::runtime_setup {

/// Names of the two runtimes, as `docker run --runtime` takes them.
inline constexpr std::string_view kPlainRuntime = "antifreeze";
inline constexpr std::string_view kNvidiaRuntime = "antifreeze-nvidia";

enum class EntryState { kPresent, kAbsent, kRewritten };

/// What daemon.json says of one of our entries.
struct Entry {
  std::string_view name;
  EntryState state = EntryState::kAbsent;
  std::string found;  ///< path of a rewritten entry, as it stands there; "" when it has none
};

struct DaemonJsonView {
  std::vector<Entry> entries;
  bool is_default = false;  ///< default-runtime names one of ours, which we never write
};

/// `text` "" is a file that is not there. kInvalid: no JSON object, or keys there twice; the message has line and
/// column.
core::Result<DaemonJsonView> look(std::string_view text, const std::string& folder);

/// The same text with both entries pointing into `folder`. Nothing else changes; "" becomes a new file.
core::Result<std::string> with_entries(std::string_view text, const std::string& folder);

/// The same text without them. "runtimes" goes too when it is empty then and `drop_empty` says that it was not there.
core::Result<std::string> without_entries(std::string_view text, bool drop_empty);

/// Whether there is a member "runtimes" at all.
bool has_runtimes(std::string_view text);

/// The lines that differ, each behind "- " or "+ ", with two lines around them behind "  ".
std::string line_difference(std::string_view before, std::string_view after);

}  // namespace antifreeze::runtime_setup
