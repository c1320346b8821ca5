// Options that several gate verbs share, and what they have in common.
#pragma once

#include <string>

#include "cli/context.h"
#include "core/options.h"
#include "core/result.h"
#include "gate/gate_dir.h"
#include "gate/keep_act.h"
#include "host/identity.h"
#include "host/signals.h"

namespace antifreeze::cli {

inline constexpr core::OptionSpec kGateDirOption{"gate-dir", "DIR", "/run/antifreeze/gate", "the gate directory"};
inline constexpr core::OptionSpec kStateDirOption{"state-dir", "DIR", "/var/lib/antifreeze/gate",
                                                  "where the host's side keeps what outlives a reboot"};

/// --gate-dir, or the host's.
std::string gate_dir_of(const core::ParsedOptions& parsed);
/// Refuses a path that can only be a slip (gate::check_gate_path), naming the option.
core::Status check_gate_dir(const core::ParsedOptions& parsed);
/// --state-dir, or the host's.
std::string state_dir_of(const core::ParsedOptions& parsed);

/// The gate directory, which must exist: nothing of ours makes one in passing. For verbs that change something.
core::Result<gate::GateDir> open_existing_gate(const core::ParsedOptions& parsed);

/// The registry lock, waited for at most `kRegistryPatience`; a longer wait names who holds it.
inline constexpr core::Nanos kRegistryPatience = std::chrono::seconds(5);
core::Result<gate::RegistryLock> lock_registry(const gate::GateDir& dir, const host::Signals& signals,
                                               const host::Clock& clock);

/// "pid 123, 456": who holds the lock on the registry; "" when that cannot be read.
std::string registry_owner(const gate::GateDir& dir);

}  // namespace antifreeze::cli
