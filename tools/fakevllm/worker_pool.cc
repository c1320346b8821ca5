#include "fakevllm/worker_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "fakevllm/failure.h"

namespace antifreeze::fakevllm {

void WorkerPool::fork_worker(int rank, int death_read) {
  auto [mine, theirs] = Channel::pair();
  const pid_t pid = fork();
  if (pid == 0) {
    // The write end must not survive in a worker, or no worker would ever see the end of the pipe.
    death_write_.reset();
    for (auto& sibling : workers_) sibling.channel.close();
    mine.close();
    engine_.up().close();
    engine_main({engine_.birth().config, engine_.birth().title, std::move(theirs), death_read, rank, true});
  }
  workers_.push_back({pid, std::move(mine), false});
}

bool WorkerPool::start() {
  std::array<int, 2> pipe_fds{-1, -1};
  if (pipe2(pipe_fds.data(), O_CLOEXEC) != 0) return false;
  const core::Fd death_read(pipe_fds[0]);
  death_write_ = core::Fd(pipe_fds[1]);
  for (int rank = 0; rank < engine_.config().workers; ++rank) fork_worker(rank, death_read.get());
  for (;;) {
    bool first = true;
    bool all = true;
    for (auto& worker : workers_) {
      if (!take(worker, first)) return false;
      all = all && worker.ready;
      first = false;
    }
    if (all) break;
    wait_any();
  }
  engine_.tell(ready_);
  return true;
}

bool WorkerPool::take(Worker& worker, bool first) {
  while (auto message = worker.channel.receive()) {
    if (message->starts_with("fail ")) {
      engine_.tell(*message);
      return false;
    }
    if (message->starts_with("ready ")) {
      worker.ready = true;
      if (first) ready_ = *message;
    } else if (first) {
      engine_.tell(*message);
    }
  }
  return !worker.channel.closed();
}

void WorkerPool::wait_any() {
  std::vector<pollfd> fds{{engine_.signal_fd(), POLLIN, 0}};
  for (const auto& worker : workers_) fds.push_back({worker.channel.fd(), POLLIN, 0});
  if (!engine_.up().closed()) fds.push_back({engine_.up().fd(), POLLIN, 0});
  (void)poll(fds.data(), fds.size(), -1);
  engine_.wait_readable(-1, 0);
}

void WorkerPool::serve() {
  for (;;) {
    while (auto message = engine_.up().receive()) {
      for (auto& worker : workers_) worker.channel.send(*message);
    }
    bool first = true;
    for (auto& worker : workers_) {
      if (!take(worker, first)) {
        log_line(engine_.log_name(), "ERROR", "multiproc_executor.py:231",
                 "Worker proc died unexpectedly, shutting down executor.");
        log_line(engine_.log_name(), "ERROR", "core.py:710", "EngineCore encountered a fatal error.");
        stop();
        engine_.leave(1);
      }
      first = false;
    }
    wait_any();
  }
}

void WorkerPool::stop() {
  death_write_.reset();
  for (const auto& worker : workers_) (void)kill(worker.pid, SIGTERM);
  const std::int64_t until = mono_now_ns() + engine_.config().grace_ns;
  for (const auto& worker : workers_) {
    int status = 0;
    while (waitpid(worker.pid, &status, WNOHANG) == 0) {
      if (mono_now_ns() >= until) (void)kill(worker.pid, SIGKILL);
      (void)poll(nullptr, 0, 2);
    }
  }
}

}  // namespace antifreeze::fakevllm
