#include "fakevllm/child_process.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fakevllm/device.h"
#include "fakevllm/http_server.h"
#include "fakevllm/ledger.h"
#include "fakevllm/process.h"

namespace antifreeze::fakevllm {
namespace {

/// Accepts connections and says nothing.
class Mute : public HttpHandler {
 public:
  void on_request(ConnectionId, HttpRequest) override {}
  void on_disconnect(ConnectionId) override {}
};

}  // namespace

int hold_as_child(const Config& config, const SetsidChild& child) {
  const int signal_fd = make_signal_fd(false, child.ignore_term);
  set_comm("fake-child");
  auto ledger = Ledger::open(config.gpu_dir, config.devices.front(), config.fresh_ledger);
  if (!ledger) {
    say_error("fakevllm child: " + ledger.error().message());
    return 1;
  }
  Device device(std::move(*ledger), {config.service, "child"}, config.count_cache, false);
  Mute mute;
  HttpServer port(mute, kNever / 2);
  if (child.port != 0) {
    auto status = port.bind_tcp("127.0.0.1", child.port, true);
    if (status) status = port.listen();
    if (!status) say_error("fakevllm child: " + status.error().message());
  }
  const auto got = device.allocate(Pool::kNonTorch, child.hold, "hold");
  const int code = got && *got ? 0 : 1;
  const std::int64_t until = child.for_ns == 0 ? kNever : config.clock.now_ns() + config.clock.scaled(child.for_ns);
  while (code == 0 && config.clock.now_ns() < until) {
    pollfd fd{signal_fd, POLLIN, 0};
    (void)poll(&fd, 1, config.clock.poll_timeout(until));
    if (next_signal(signal_fd) != 0) break;
  }
  device.leave();
  return code;
}

void spawn_setsid_child(const Config& config, const SetsidChild& child) {
  const pid_t middle = fork();
  if (middle == 0) {
    (void)setsid();
    if (fork() == 0) {
      close_descriptors();
      _exit(hold_as_child(config, child));
    }
    _exit(0);
  }
  if (middle > 0) (void)waitpid(middle, nullptr, 0);
}

void make_orphans(int count) {
  for (int i = 0; i < count; ++i) {
    const pid_t middle = fork();
    if (middle == 0) {
      if (fork() == 0) {
        // Outlive the middle process, so that whoever adopts orphans gets this one while it still runs.
        const pid_t was = getppid();
        for (int tries = 0; tries < 1000 && getppid() == was; ++tries) (void)poll(nullptr, 0, 1);
        _exit(0);
      }
      _exit(0);
    }
    if (middle > 0) (void)waitpid(middle, nullptr, 0);
  }
}

}  // namespace antifreeze::fakevllm
