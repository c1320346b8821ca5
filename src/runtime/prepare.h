// The part of a `create` that reads and changes: everything that can go wrong happens here, in a process of its own.
#pragma once

#include <string>

#include "host/clock.h"
#include "runtime/invocation.h"
#include "runtime/settings.h"

namespace antifreeze::runtime {

struct Job {
  CreateCall call;
  Flavour flavour = Flavour::kPlain;
  std::string folder;  ///< the shim's own
  Settings settings;
};

/// What became of the bundle.
struct Outcome {
  bool gated = false;
  bool failed = false;  ///< it should have been looked at and could not be: worth a warning
  std::string reason;
  std::string name;
  std::string remark;  ///< something of the container's that was ignored; "" for nothing
  int priority = 0;
};

/// Looks at the bundle and, where it gets the gate, replaces its config.json in one step, as the last thing it does.
Outcome prepare(const Job& job);

/// One line for the system's log and one for runtime.log in the shim's folder. Never waits.
void record(const Job& job, const Outcome& outcome, const host::Clock& clock);

}  // namespace antifreeze::runtime
