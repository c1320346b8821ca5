// An engine that is up: generates tokens, moves memory as --fake-settle says, sleeps and wakes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "fakevllm/engine_process.h"

namespace antifreeze::fakevllm {

/// Messages that it takes: "serve", "gen ID TOKENS", "abort ID", "sleep LEVEL", "wake". Messages that it sends: "tok
/// ID", "done ID", "err ID TEXT", "slept", "awake", "wakefail TEXT".
class EngineServe {
 public:
  explicit EngineServe(EngineProcess& engine) : engine_(engine) {}
  /// Until the process ends.
  [[noreturn]] void run();

 private:
  struct Job {
    std::uint64_t left = 0;
    std::int64_t next_ns = 0;
  };

  void take(std::string_view message);
  void begin_serving();
  void generate(const std::string& id, std::uint64_t tokens);
  void sleep();
  void wake();
  /// Settle steps that are due; then "settled" once.
  void settle(std::int64_t now);
  void advance_jobs(std::int64_t now);
  [[nodiscard]] std::int64_t next_deadline() const;

  EngineProcess& engine_;
  std::map<std::string, Job> jobs_;
  std::int64_t serving_since_ = kNever;
  std::size_t settle_step_ = 0;
  bool settled_ = false;
  std::int64_t next_tick_ = 0;
  std::uint64_t asleep_bytes_ = 0;
  bool asleep_ = false;
};

}  // namespace antifreeze::fakevllm
