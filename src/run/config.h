// What antifreeze-run was asked to do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/options.h"
#include "core/result.h"
#include "gate/breaker_types.h"
#include "gate/gate_dir.h"
#include "gate/preflight_decide.h"
#include "gate/settle_decide.h"

namespace antifreeze::run {

enum class OnTimeout { kRelease, kKill };
enum class OnFailure { kFail, kProceed };

struct Config {
  std::string name;
  int priority = 0;
  std::string domain = "host";  ///< "host", "gpu" or "gpu:UUID,UUID"
  std::string ready = "auto";
  std::string domain_source = "--domain";  ///< what a message about it names: the option, or its variable
  std::string ready_source = "--ready";
  std::optional<std::string> preload;
  gate::SettlePolicy settle;
  gate::SettlePolicy reclaim = gate::kReclaimPolicy;
  std::optional<core::Nanos> gather;
  core::Nanos start_timeout = std::chrono::minutes(15);  ///< 0 = none
  core::Nanos stall_timeout = std::chrono::minutes(5);   ///< 0 = none
  OnTimeout on_timeout = OnTimeout::kRelease;
  bool hold_until_exit = false;
  core::Nanos wait_timeout{0};  ///< 0 = for ever
  OnFailure on_wait_timeout = OnFailure::kFail;
  std::uint64_t reserve_bytes = gate::kDefaultReserve;
  bool start_when_short = false;
  core::Nanos short_timeout = std::chrono::minutes(10);
  gate::BreakerPolicy breaker;
  bool always = false;
  core::Nanos grace = std::chrono::seconds(10);
  gate::GateDirOptions gate_dir;
  OnFailure on_gate_error = OnFailure::kFail;
  std::optional<std::string> meminfo;  ///< nullopt: the machine's own
  bool quiet = false;
  std::vector<std::string> command;
};

/// Command line (without the program's name) and environment twins. `shared` is ANTIFREEZE_SHARED=1: the host's marked
/// directory is demanded. `hostname` goes into the default name. An error is one line naming the option.
core::Result<Config> make_config(const core::ParsedOptions& parsed, bool shared, const std::string& hostname);

/// The service's name when none was given: the command's base name and 8 hex digits of all its words and the host
/// name, so that two servers of one engine are two services, and one that restarts stays the same. Control
/// characters become '_'.
std::string default_name(const std::vector<std::string>& command, const std::string& hostname);

}  // namespace antifreeze::run
