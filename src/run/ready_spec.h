// How a server shows that it is up: told by --ready, or known from the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "engines/facts.h"
#include "host/probe_target.h"

namespace antifreeze::run {

struct ReadySpec {
  enum class Kind { kNone, kSocket, kCommand, kNotify, kLog } kind = Kind::kNone;
  std::optional<host::ProbeTarget> target;   ///< kSocket
  std::vector<int> ready_statuses{200};      ///< kSocket with HTTP
  std::string pattern;                       ///< kLog
  std::vector<std::string> argv;             ///< kCommand
  std::optional<host::ProbeTarget> preload;  ///< asked once the server answers; done when it has answered 200
  std::string how;                           ///< for people: "vllm: http://127.0.0.1:8000/health"
};

/// Reads --ready. `engine` is what the command was recognised as; "auto" needs it, and without it the command counts
/// as up as soon as it runs. kInvalid with advice for what cannot be read; the caller says where it was told.
core::Result<ReadySpec> make_ready_spec(const std::string& ready, const std::optional<engines::EngineFacts>& engine,
                                        const std::optional<std::string>& preload_model);

}  // namespace antifreeze::run
