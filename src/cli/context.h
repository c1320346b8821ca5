// What every verb is given: the clock, where to write, and what the global options said.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/options.h"
#include "core/result.h"
#include "host/clock.h"

namespace antifreeze::cli {

struct Context {
  const host::Clock& clock;
  std::function<void(std::string_view)> out;  ///< to stdout, as it is
  std::function<void(std::string_view)> err;  ///< to stderr, as it is
  core::EnvLookup lookup = nullptr;           ///< reads the environment; nullptr: there is none
  const void* lookup_context = nullptr;
  char** environment = nullptr;  ///< of the process, whole: only `run` hands it on
  bool json = false;
  bool quiet = false;
  bool dry_run = false;
  bool colour = false;  ///< stdout is a terminal and NO_COLOR is not set
  int columns = 80;     ///< how wide a line may be

  /// An environment variable; nullopt when it is not set.
  [[nodiscard]] std::optional<std::string> variable(std::string_view name) const;
  /// Something that a person wants to know but a script does not: not with --quiet, not with --json.
  void note(std::string_view line) const;
};

/// Says "antifreeze: …" on stderr and returns the exit code that belongs to the error (sysexits).
int fail(const Context& context, const core::Error& error);
/// The same for a verb that changes what belongs to root: not permitted, and not root (`uid`), ends in "; run as root".
int fail_as(const Context& context, const core::Error& error, unsigned uid);
/// The same for a wrong command line: exit code 2.
int usage_error(const Context& context, std::string_view what);

}  // namespace antifreeze::cli
