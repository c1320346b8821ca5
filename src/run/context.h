// What the parts of a wrapper share. Made once in run.cc and handed down.
#pragma once

#include <optional>

#include "host/clock.h"
#include "host/identity.h"
#include "host/memory.h"
#include "host/proc_tree.h"
#include "host/signals.h"
#include "run/config.h"
#include "run/notify_client.h"
#include "run/report.h"

namespace antifreeze::run {

struct Context {
  const Config& config;
  const host::Identity& identity;
  const host::Clock& clock;
  host::Signals& signals;
  const host::ProcTree& processes;
  const host::MemorySource& memory;
  Report& report;
  NotifyClient& notify;
};

/// Exit codes of our own (env(1), nohup(1), docker-run(1) use the same).
inline constexpr int kExitUsage = 2;
inline constexpr int kExitOwnFailure = 125;
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;
inline constexpr int kExitSignalBase = 128;

/// Looks at what arrived while nothing of ours runs yet: reaps strangers' zombies (we may be PID 1) and returns the
/// signal that asks us to end, if any.
std::optional<int> asked_to_end();

/// Whether such a signal has been noted; leaves it noted.
bool end_is_asked();

}  // namespace antifreeze::run
