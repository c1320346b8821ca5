// What the shim knows about its host: a small file beside the program, written by `antifreeze runtime install`.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/result.h"
#include "gate/gate_dir.h"

namespace antifreeze::runtime {

/// Names in the shim's folder.
inline constexpr std::string_view kDefaultFolder = "/var/lib/antifreeze/runtime";
inline constexpr std::string_view kShimName = "antifreeze-runtime";
inline constexpr std::string_view kNvidiaShimName = "antifreeze-runtime-nvidia";
inline constexpr std::string_view kRunName = "antifreeze-run";
inline constexpr std::string_view kSettingsName = "settings";
inline constexpr std::string_view kLogName = "runtime.log";
/// While this file is there the shim hands everything on untouched.
inline constexpr std::string_view kPassThroughName = "pass-through";

struct Settings {
  std::string gate_dir{gate::kDefaultGateDir};
  std::string config = "/etc/antifreeze/antifreeze.toml";
  std::string runc = "runc";
  std::string nvidia = "nvidia-container-runtime";
  std::string log_socket = "/dev/log";
  int budget_ms = 1000;  ///< longest time for reading and rewriting; then the bundle goes on as it is
};

/// "key=value" lines; unknown keys are left to newer versions, a value that makes no sense is the default.
Settings parse_settings(std::string_view text);
/// The same text back: only what differs from the defaults.
std::string settings_text(const Settings& settings);

/// Priorities by service name, from the host's configuration: `[gate] order = ["first", …]` counts down from 10 and
/// stays above 0, which everybody else has; `[gate.priorities] NAME = -10…10` says it outright.
/// kInvalid names line and column.
core::Result<std::map<std::string, int, std::less<>>> parse_priorities(std::string_view toml);

}  // namespace antifreeze::runtime
