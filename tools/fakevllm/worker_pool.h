// EngineCore with tensor parallelism: it holds no memory itself, its workers do, one a device.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fd.h"
#include "fakevllm/engine_process.h"

namespace antifreeze::fakevllm {

class WorkerPool {
 public:
  explicit WorkerPool(EngineProcess& engine) : engine_(engine) {}
  /// Forks the workers and waits until all are ready (then says so upwards) or one failed.
  bool start();
  /// Hands every message on to the workers and the first one's answers upwards, until a worker dies.
  [[noreturn]] void serve();
  /// TERM, and after the grace KILL, until all are gone.
  void stop();

 private:
  struct Worker {
    pid_t pid = -1;
    Channel channel;
    bool ready = false;
  };

  void fork_worker(int rank, int death_read);
  /// False when a worker failed or is gone.
  bool take(Worker& worker, bool first);
  void wait_any();

  EngineProcess& engine_;
  std::vector<Worker> workers_;
  core::Fd death_write_;  ///< closes with this process: the workers' death pipe
  std::string ready_;
};

}  // namespace antifreeze::fakevllm
