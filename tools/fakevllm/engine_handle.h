// The server's side of an engine process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "fakevllm/channel.h"
#include "fakevllm/config.h"
#include "fakevllm/process.h"

namespace antifreeze::fakevllm {

/// One engine process as its server knows it.
struct EngineHandle {
  enum class State { kLoading, kReady, kStopping };

  Config config;  ///< its own: Ollama's engines differ in the model
  pid_t pid = -1;
  Channel channel;
  State state = State::kLoading;
  std::uint64_t kv_bytes = 0;
  std::string failure;               ///< what it said about why it failed
  std::int64_t expires_ns = kNever;  ///< Ollama: when it is unloaded, on the configured clock
  std::int64_t keep_alive_ns = kNever;

  /// Asks it to end (TERM); ends it (KILL) with `hard`.
  void stop(bool hard);
};

/// Forks an engine process. Its pid is -1 when that is impossible.
std::unique_ptr<EngineHandle> spawn_engine(Config config, const TitleArea& title);

}  // namespace antifreeze::fakevllm
