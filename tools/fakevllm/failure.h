// How an engine says that it failed: the texts of engines.md, table 1.2.
#pragma once

#include <cstdint>
#include <string>

#include "fakevllm/config.h"
#include "fakevllm/device.h"

namespace antifreeze::fakevllm {

/// A failed start.
struct Failure {
  char id = 'E';      ///< row of table 1.2: A, B, C, D, E; S for SGLang, L for llama.cpp
  std::string error;  ///< "ValueError: …", the line that a log matcher looks for
};

/// A: not enough free for the share at the start.
Failure not_enough_free(const Config& config, int gpu, const MemoryInfo& s0, std::uint64_t requested);
/// B: free memory grew while profiling. The older text gives bytes.
Failure profiling_error(const Config& config, std::uint64_t s0, std::uint64_t s1);
/// C and D: nothing, or too little, left for the KV cache.
Failure no_cache_memory(const Config& config, std::int64_t kv);
Failure cache_too_small(const Config& config, std::uint64_t kv, std::uint64_t need);
/// E: an allocation failed.
Failure out_of_memory(const Config& config, int gpu, const MemoryInfo& now, std::uint64_t asked);

/// "17.70" from bytes.
std::string gib(std::uint64_t bytes);
/// Prints a line the way vLLM's logger does, to stdout: "(EngineCore_DP0 pid=7) INFO 03-01 12:00:00 [core.py:1] text".
void log_line(std::string_view process, std::string_view level, std::string_view where, std::string_view text);
/// The engine's own traceback and "EngineCore failed to start.".
void log_failure(const Config& config, std::string_view process, const Failure& failure);
/// What the parent prints when its engine did not come up: `how` is the engine's exit code, negative for a signal.
void log_wrap(const Config& config, int how);

}  // namespace antifreeze::fakevllm
