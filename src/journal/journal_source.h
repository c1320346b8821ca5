// The systemd journal through libsystemd: whole boots in order, whatever state the files are in.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "readings/log_entry.h"

namespace antifreeze::journal {

/// Where to read. Exactly one of them set; none: the machine's own journal.
struct JournalPlace {
  std::optional<std::string> directory;  ///< --journal DIR
  std::optional<std::string> root;       ///< --root DIR: var/log/journal and run/log/journal below it
  std::vector<std::string> files;        ///< --file X.journal
};

/// A journal entry and the boot it belongs to.
struct BootEntry {
  std::string_view boot_id;  ///< 32 hex digits
  readings::LogEntry entry;
};

/// What could not be read, and what that costs. One line each.
struct JournalHealth {
  std::size_t files = 0;
  std::vector<std::string> unreadable;  ///< "system@…journal~: truncated, 3 entries lost" …
  bool is_volatile = false;             ///< only /run/log/journal: earlier boots are gone
  bool no_permission = false;           ///< files are there that we may not open
};

/// Calls `visit` for every entry, boot by boot in order of their first entry, within a boot in the order written
/// (sequence, then monotonic time; never wall time). Damaged, truncated and zero-padded files are read as far as they
/// go. .journal.xz is not unpacked. `progress` gets 0…1 now and then and may be empty. `visit` returns false to stop.
core::Result<JournalHealth> for_each_entry(const JournalPlace& place,
                                           const std::function<bool(const BootEntry&)>& visit,
                                           const std::function<void(double)>& progress);

}  // namespace antifreeze::journal
