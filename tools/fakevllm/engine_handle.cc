#include "fakevllm/engine_handle.h"

#include <unistd.h>

#include <csignal>

#include "fakevllm/engine_process.h"

namespace antifreeze::fakevllm {

void EngineHandle::stop(bool hard) {
  state = State::kStopping;
  if (pid > 0) (void)kill(pid, hard ? SIGKILL : SIGTERM);
}

std::unique_ptr<EngineHandle> spawn_engine(Config config, const TitleArea& title) {
  auto handle = std::make_unique<EngineHandle>();
  handle->config = std::move(config);
  auto [mine, theirs] = Channel::pair();
  const pid_t pid = fork();
  if (pid == 0) {
    mine.close();
    if (!handle->config.inherit_port) close_descriptors(theirs.fd());
    engine_main({&handle->config, &title, std::move(theirs)});
  }
  handle->pid = pid;
  handle->channel = std::move(mine);
  return handle;
}

}  // namespace antifreeze::fakevllm
