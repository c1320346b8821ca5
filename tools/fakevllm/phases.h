// Phases 2 to 6 of engines.md §7.3: what an engine does with the device from its first touch until it is ready.
#pragma once

#include <optional>

#include "fakevllm/engine_process.h"
#include "fakevllm/failure.h"

namespace antifreeze::fakevllm {

/// Runs them and sends "ready KV_BYTES" upwards; or says why it could not.
std::optional<Failure> start_engine(EngineProcess& engine);

}  // namespace antifreeze::fakevllm
