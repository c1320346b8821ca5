// The process that holds the memory: VLLM::EngineCore, or one VLLM::Worker_TPn of several.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fakevllm/channel.h"
#include "fakevllm/config.h"
#include "fakevllm/device.h"
#include "fakevllm/process.h"
#include "fakevllm/traps.h"

namespace antifreeze::fakevllm {

/// What a new engine process is born with.
struct EngineBirth {
  const Config* config;
  const TitleArea* title;
  Channel up;           ///< to whoever forked it
  int death_pipe = -1;  ///< workers only: reads EOF when EngineCore is gone
  int rank = 0;         ///< which of the visible devices
  bool worker = false;
};

/// Waiting, ending and signals of an engine process; the phases and the serving build on it.
class EngineProcess {
 public:
  explicit EngineProcess(EngineBirth birth) : birth_(std::move(birth)), traps_(config(), false) {}

  /// Everything up to the first phase: names, signals, the ledger. Exits on failure.
  void prepare();
  /// Starts phase `phase`: journal line, then what the knobs plan for it. May never return.
  void enter(int phase);
  /// Sleeps `ns` (already scaled; kNever for ever). TERM, a planned crash and the death pipe end the process meanwhile.
  void pause(std::int64_t ns);
  /// Waits for `extra_fd` (-1 for none) to be readable until `deadline_ns`, with the same endings as pause().
  void wait_readable(int extra_fd, std::int64_t deadline_ns);
  /// Sends `message` upwards; where the server is slow to read, waits for it (or for one of the endings above).
  void tell(std::string_view message);
  /// Gives the memory back and exits.
  [[noreturn]] void leave(int code);
  /// Reports and leaves; `status` is a broken ledger.
  void must(core::Status status);
  template <typename T>
  T must(core::Result<T> result) {
    if (!result) broken(result.error().message());
    return std::move(*result);
  }

  [[nodiscard]] const Config& config() const { return *birth_.config; }
  [[nodiscard]] Channel& up() { return birth_.up; }
  [[nodiscard]] bool routes() const { return !birth_.worker && config().workers > 1; }
  /// Only where !routes().
  [[nodiscard]] Device& device() { return *device_; }
  [[nodiscard]] Traps& traps() { return traps_; }
  [[nodiscard]] const EngineBirth& birth() const { return birth_; }
  [[nodiscard]] int signal_fd() const { return signal_fd_; }
  /// "EngineCore_DP0" or "Worker_TP1", as in log lines.
  [[nodiscard]] std::string log_name() const;

 private:
  [[noreturn]] void broken(const std::string& why);

  EngineBirth birth_;
  Traps traps_;
  std::unique_ptr<Device> device_;
  int signal_fd_ = -1;
  std::int64_t planned_ns_ = 0;  ///< when the last pause was due to end
};

/// Runs a forked engine process to its end.
[[noreturn]] void engine_main(EngineBirth birth);

}  // namespace antifreeze::fakevllm
