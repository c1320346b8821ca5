#include "fakevllm/engine_process.h"

#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "fakevllm/engine_serve.h"
#include "fakevllm/failure.h"
#include "fakevllm/phases.h"
#include "fakevllm/worker_pool.h"

namespace antifreeze::fakevllm {

std::string EngineProcess::log_name() const {
  if (!birth_.worker) return "EngineCore_DP0";
  return "Worker_TP" + std::to_string(birth_.rank);
}

void EngineProcess::prepare() {
  signal_fd_ = make_signal_fd(false, config().ignore_term);
  if (config().pdeathsig && !birth_.worker) (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string title =
      birth_.worker ? "VLLM::Worker_TP" + std::to_string(birth_.rank) : std::string(config().dialect->child_comm);
  birth_.title->set(title, config().keep_environ);
  planned_ns_ = config().clock.now_ns();
  if (routes()) return;
  LedgerHeader fresh = config().fresh_ledger;
  const int index = config().devices[static_cast<std::size_t>(birth_.rank)];
  if (index != 0) fresh.unified = 0;  // one unified memory a machine, and meminfo follows device 0
  auto ledger = must(Ledger::open(config().gpu_dir, index, fresh));
  const JournalIdentity who{config().service, birth_.worker ? "worker" : "engine"};
  device_ = std::make_unique<Device>(std::move(ledger), who, config().count_cache, config().wedge_on_floor);
}

void EngineProcess::enter(int phase) {
  const auto index = static_cast<std::size_t>(phase);
  const auto& file = config().wait_file[index];
  if (!file.empty()) {
    // Looked for in real time: a virtual clock may stand still.
    while (access(file.c_str(), F_OK) != 0) wait_readable(-1, config().clock.now_ns() + 2 * kMillisecond);
    planned_ns_ = config().clock.now_ns();
  }
  must(device().note(phase_name(phase)));
  if (phase < kServe) tell("phase " + std::to_string(phase));
  if (birth_.rank != 0) return;  // accidents happen to the first worker
  traps_.enter(phase);
  if (traps_.hangs()) {
    must(device().note("hang"));
    pause(kNever);
  }
  if (traps_.crash_at() <= config().clock.now_ns()) pause(0);
  if (config().slow_ns[index] > 0) pause(config().clock.scaled(config().slow_ns[index]));
}

void EngineProcess::pause(std::int64_t ns) {
  // On a virtual clock pauses follow each other without a gap: how late a process wakes must not shift its schedule.
  const std::int64_t from = config().clock.is_virtual() ? planned_ns_ : config().clock.now_ns();
  const std::int64_t until = ns == kNever ? kNever : from + ns;
  planned_ns_ = until;
  do {
    wait_readable(-1, until);
  } while (config().clock.now_ns() < until);
}

void EngineProcess::wait_readable(int extra_fd, std::int64_t deadline_ns) {
  const auto crash_if_due = [&] {
    if (config().clock.now_ns() < traps_.crash_at()) return;
    if (device_) must(device().note("crash"));
    traps_.crash();
  };
  crash_if_due();
  std::array<pollfd, 3> fds{{{signal_fd_, POLLIN, 0}, {birth_.death_pipe, POLLIN, 0}, {extra_fd, POLLIN, 0}}};
  (void)poll(fds.data(), fds.size(), config().clock.poll_timeout(std::min(deadline_ns, traps_.crash_at())));
  if (const int signal = next_signal(signal_fd_); signal != 0) leave(0);
  if ((fds[1].revents & (POLLHUP | POLLIN)) != 0) leave(0);
  crash_if_due();
}

void EngineProcess::tell(std::string_view message) {
  while (!birth_.up.send(message)) wait_readable(-1, config().clock.now_ns() + kMillisecond);
}

void EngineProcess::leave(int code) {
  if (device_) device_->leave();
  _exit(code);
}

void EngineProcess::must(core::Status status) {
  if (!status) broken(status.error().message());
}

void EngineProcess::broken(const std::string& why) {
  log_line(log_name(), "ERROR", "fakevllm", why);
  _exit(1);
}

void engine_main(EngineBirth birth) {
  EngineProcess engine(std::move(birth));
  engine.prepare();
  if (engine.routes()) {
    WorkerPool workers(engine);
    if (!workers.start()) {
      log_line(engine.log_name(), "ERROR", "core.py:843", "EngineCore failed to start.");
      log_line(engine.log_name(), "ERROR", "core.py:843",
               "Exception: WorkerProc initialization failed due to an exception in a background process.");
      workers.stop();
      engine.leave(1);
    }
    workers.serve();
  }
  if (const auto failure = start_engine(engine)) {
    engine.must(engine.device().note("fail", [&](core::JsonLine& json) {
      json.add("id", std::string_view(&failure->id, 1)).add("error", failure->error);
    }));
    log_failure(engine.config(), engine.log_name(), *failure);
    engine.tell("fail " + failure->error);
    engine.leave(1);
  }
  EngineServe(engine).run();
}

}  // namespace antifreeze::fakevllm
