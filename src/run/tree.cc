#include "run/tree.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

namespace antifreeze::run {

void ask_tree_to_end(const host::ProcTree& processes, pid_t server) {
  const auto descendants = processes.descendants(::getpid());
  for (const auto& process : descendants) {
    if (process.pid > 1) ::kill(process.pid, SIGTERM);
  }
  if (descendants.empty() && server > 1) ::kill(-server, SIGTERM);
}

core::Nanos kill_tree(const host::ProcTree& processes, pid_t server, core::Nanos pause) {
  const auto is_server = [server](const host::ProcInfo& process) { return process.pid == server; };
  const auto before = processes.descendants(::getpid());
  if (before.empty() && server > 1) ::kill(-server, SIGKILL);
  const auto found = std::ranges::find_if(before, is_server);
  const bool has_server = found != before.end();
  // A fork that is under way ends before its process stops: what it made is seen by a look after that.
  const bool still = has_server && std::string_view("TtZX").find(found->state) != std::string_view::npos;
  if (has_server && !still) ::kill(server, SIGSTOP);
  bool others = false;
  for (const auto& process : processes.descendants(::getpid())) {
    if (process.pid <= 1 || is_server(process) || process.state == 'Z') continue;
    ::kill(process.pid, SIGKILL);
    others = true;
  }
  if (has_server && ((still && !others) || pause >= kKillAgain)) ::kill(server, SIGKILL);
  return std::min<core::Nanos>(2 * pause, kKillAgain);
}

bool is_below(const host::ProcTree& processes, pid_t pid, pid_t root) {
  // Bounded, because the tree may change between two looks.
  for (int depth = 0; depth < 64 && pid > 1; ++depth) {
    const auto process = processes.process(pid);
    if (!process) return false;
    if (process->ppid == root) return true;
    pid = process->ppid;
  }
  return false;
}

host::TreeUsage usage_below(const host::ProcTree& processes, pid_t root) {
  std::vector<pid_t> pids;
  for (const auto& process : processes.descendants(root)) pids.push_back(process.pid);
  return processes.usage(pids);
}

Reaped reap_children(pid_t main) {
  Reaped reaped;
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid == 0) return reaped;
    if (pid < 0) {
      reaped.none_left = errno == ECHILD;
      return reaped;
    }
    if (pid == main) reaped.status_of_main = status;
  }
}

int exit_code_of(int wait_status) {
  if (WIFSIGNALED(wait_status)) return 128 + WTERMSIG(wait_status);
  return WEXITSTATUS(wait_status);
}

}  // namespace antifreeze::run
