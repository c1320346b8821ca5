// Ollama's way: a model is loaded by its first request and unloaded when nobody asked for it for a while.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fakevllm/engine_handle.h"
#include "fakevllm/jobs.h"

namespace antifreeze::fakevllm {

/// Decides which models are loaded. The server owns the processes.
class Ollama {
 public:
  using Engines = std::map<std::string, std::unique_ptr<EngineHandle>>;

  Ollama(const Config& config, Engines& engines, Jobs& jobs) : config_(config), engines_(engines), jobs_(jobs) {}

  /// "5m", "0", "-1", "300": how long the model stays after its last request. Kept for the next load too.
  void set_keep_alive(const std::string& model, std::string_view value);
  [[nodiscard]] bool keeps_nothing(const std::string& model) const { return keep_alive(model) == 0; }
  void unload(const std::string& model);
  /// This model is wanted.
  void want(const std::string& model);
  /// Unloads what has expired, makes room for what is wanted; returns the models to start now.
  std::vector<std::string> step(std::int64_t now_ns);
  [[nodiscard]] std::int64_t next_deadline() const;
  /// The answer to /api/ps.
  [[nodiscard]] std::string ps() const;

 private:
  [[nodiscard]] std::int64_t keep_alive(const std::string& model) const;

  const Config& config_;
  Engines& engines_;
  Jobs& jobs_;
  std::map<std::string, std::int64_t> keep_alive_ns_;
  std::vector<std::string> wanted_;
};

}  // namespace antifreeze::fakevllm
