// A descendant that holds memory or a port and does what wrappers have trouble with: own session, no parent, deaf to
// TERM.
#pragma once

#include <string>

#include "fakevllm/config.h"

namespace antifreeze::fakevllm {

/// Holds what `child` says until its time is over or TERM comes; then gives it back. Returns the exit code.
int hold_as_child(const Config& config, const SetsidChild& child);
/// Forks twice and calls setsid(), so that hold_as_child runs in a process without a parent of ours.
void spawn_setsid_child(const Config& config, const SetsidChild& child);
/// Leaves `count` orphans that end at once; whoever adopts them has to reap them.
void make_orphans(int count);

}  // namespace antifreeze::fakevllm
