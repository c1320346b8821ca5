// Looking at the host, and changing it: the copies in their folder, the entries in daemon.json, the reload of dockerd.
#pragma once

#include "core/result.h"
#include "runtime_setup/setup_types.h"

namespace antifreeze::runtime_setup {

/// Everything as it stands now; reads only.
Status read_status(Paths paths);

/// Copies the programs, tries the copy, checks the new daemon.json (with dockerd itself where it can), writes it and
/// reloads dockerd. Whatever fails leaves daemon.json as it was. `only_copies`: renews what is installed already and
/// touches nothing else.
core::Result<Report> install(const Paths& paths, const runtime::Settings& settings, bool only_copies, bool dry_run);

/// Takes the entries out again, byte for byte where nobody else changed the file since, and removes the copies. While
/// containers name the runtime both stay, as a pass-through, unless `force`.
core::Result<Report> remove(const Paths& paths, bool force, bool dry_run);

}  // namespace antifreeze::runtime_setup
