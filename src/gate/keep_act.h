// The host's side of the gate: makes the gate directory before Docker starts, and keeps what must outlive a reboot on
// disk. Everything else in the gate directory (tickets, locks, pause) dies with the boot, on purpose.
//
// There is no teardown: running containers hold the directory by bind mount and would go on with an orphan of it, so
// a second gate could come up beside them. It goes with the next boot; `umount` it by hand when nothing uses it.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "gate/safe_boot_decide.h"
#include "host/clock.h"

namespace antifreeze::gate {

/// Where the host's side keeps its copies.
inline constexpr std::string_view kDefaultStateDir = "/var/lib/antifreeze/gate";

struct KeepPaths {
  std::string gate_dir;
  std::string state_dir;
};

struct SetupOptions {
  KeepPaths paths;
  std::string boot_id;
  bool mount_tmpfs = true;  ///< the gate directory gets a tmpfs of its own (needs CAP_SYS_ADMIN)
  bool dry_run = false;     ///< change nothing, say what would be done
  SafeBootPolicy safe_boot;
};

struct SetupReport {
  std::vector<std::string> steps;     ///< what was done, or in a dry run would be; empty: everything was there
  std::vector<std::string> warnings;  ///< what was found damaged or hostile and left out
  SafeBootVerdict safe_boot;
};

/// Makes the gate directory: tmpfs (4 MiB, 4,096 inodes, mode 1777, nosuid, nodev, noexec), registry, restored breakers
/// and event log, this boot's entry in the list of boots, `safe-boot` where decided, and last gate.id, without which no
/// wrapper comes in. A directory that has a gate.id is left alone but for the list of boots: never mounted over.
/// kTampered: the gate.id there is not ours. kPermission: not root.
core::Result<SetupReport> setup(const SetupOptions& options, const host::Clock& clock);

struct SaveReport {
  std::size_t changed = 0;  ///< files written or removed; 0 = everything was saved already
  std::vector<std::string> warnings;
};

/// Saves breakers and event log with fsync. kNotFound when the gate directory has no gate.id: an empty directory in
/// place of the gate must not wipe the copies.
core::Result<SaveReport> save(const KeepPaths& paths);

/// Writes down that this boot ends in an orderly way. For the moment when the system is going down.
core::Status mark_clean(const KeepPaths& paths, const std::string& boot_id, const host::Clock& clock);

/// Writes down that this boot runs (the opposite of mark_clean).
core::Status mark_running(const KeepPaths& paths, const std::string& boot_id, const host::Clock& clock);

/// A person says go on: removes `safe-boot` and lets the boots so far not count any more.
core::Status leave_safe_boot(const KeepPaths& paths, const std::string& boot_id, const host::Clock& clock);

}  // namespace antifreeze::gate
