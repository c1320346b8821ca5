// Processes that a test wrote down.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/proc_tree.h"

namespace antifreeze::host::fake {

/// Knows only what was added: another pid is kNotFound, listeners that were not set are refused.
class ScriptedProcTree final : public ProcTree {
 public:
  struct Process {
    ProcInfo info;
    TreeUsage usage;
    std::vector<std::uint64_t> sockets;
    std::map<std::string, std::string, std::less<>> environment;
    bool readable = true;  ///< false: sockets and environment answer kPermission
  };

  Process& add(pid_t pid, pid_t ppid, std::string comm = "fake") {
    auto& process = processes_[pid];
    process.info = ProcInfo{pid, ppid, std::move(comm), 'S', static_cast<std::uint64_t>(pid) * 100};
    return process;
  }
  Process& at(pid_t pid) { return processes_.at(pid); }
  void remove(pid_t pid) { processes_.erase(pid); }
  void listen(std::uint16_t port, std::vector<readings::InetSocket> sockets) { tcp_[port] = std::move(sockets); }
  /// One socket on 127.0.0.1.
  void listen(std::uint16_t port, std::uint64_t inode) {
    readings::InetSocket socket;
    socket.address = {127, 0, 0, 1};
    socket.port = port;
    socket.state = readings::kTcpListen;
    socket.inode = inode;
    tcp_[port].push_back(socket);
  }
  void listen(const std::string& path, std::vector<std::uint64_t> inodes) { unix_[path] = std::move(inodes); }

  [[nodiscard]] core::Result<ProcInfo> process(pid_t pid) const override {
    calls.push_back("process " + std::to_string(pid));
    const auto* found = find(pid);
    if (found == nullptr) return gone(pid);
    return found->info;
  }
  [[nodiscard]] std::vector<ProcInfo> descendants(pid_t root) const override {
    calls.push_back("descendants " + std::to_string(root));
    std::set<pid_t> tree{root};
    for (bool grew = true; grew;) {
      grew = false;
      for (const auto& [pid, process] : processes_) {
        grew = (tree.contains(process.info.ppid) && tree.insert(pid).second) || grew;
      }
    }
    std::vector<ProcInfo> out;
    for (const auto& [pid, process] : processes_) {
      if (pid != root && tree.contains(pid)) out.push_back(process.info);
    }
    return out;
  }
  [[nodiscard]] TreeUsage usage(std::span<const pid_t> pids) const override {
    calls.push_back("usage");
    TreeUsage sum;
    for (const pid_t pid : pids) {
      const auto* found = find(pid);
      if (found == nullptr) continue;
      sum.cpu_ticks += found->usage.cpu_ticks;
      sum.rss_bytes += found->usage.rss_bytes;
      if (found->usage.io_bytes) sum.io_bytes = sum.io_bytes.value_or(0) + *found->usage.io_bytes;
    }
    return sum;
  }
  [[nodiscard]] core::Result<std::vector<std::uint64_t>> socket_inodes(pid_t pid) const override {
    calls.push_back("socket_inodes " + std::to_string(pid));
    const auto* found = find(pid);
    if (found == nullptr) return gone(pid);
    if (!found->readable) return forbidden();
    auto inodes = found->sockets;
    std::sort(inodes.begin(), inodes.end());
    return inodes;
  }
  [[nodiscard]] core::Result<std::vector<readings::InetSocket>> tcp_listeners(std::uint16_t port,
                                                                              pid_t) const override {
    calls.push_back("tcp_listeners " + std::to_string(port));
    const auto found = tcp_.find(port);
    if (found == tcp_.end()) return unset("port " + std::to_string(port));
    return found->second;
  }
  [[nodiscard]] core::Result<std::vector<std::uint64_t>> unix_listeners(std::string_view path, pid_t) const override {
    calls.push_back("unix_listeners " + std::string(path));
    const auto found = unix_.find(path);
    if (found == unix_.end()) return unset(std::string(path));
    return found->second;
  }
  [[nodiscard]] core::Result<std::optional<std::string>> environment_value(pid_t pid,
                                                                           std::string_view key) const override {
    calls.push_back("environment_value " + std::to_string(pid));
    const auto* found = find(pid);
    if (found == nullptr) return gone(pid);
    if (!found->readable) return forbidden();
    const auto value = found->environment.find(key);
    return value == found->environment.end() ? std::optional<std::string>() : value->second;
  }
  [[nodiscard]] std::vector<pid_t> find_by_environment(std::string_view key, std::string_view value) const override {
    calls.push_back("find_by_environment " + std::string(key));
    std::vector<pid_t> out;
    for (const auto& [pid, process] : processes_) {
      const auto found = process.environment.find(key);
      if (process.readable && found != process.environment.end() && found->second == value) out.push_back(pid);
    }
    return out;
  }
  [[nodiscard]] std::vector<pid_t> children(pid_t parent) const override {
    calls.push_back("children " + std::to_string(parent));
    std::vector<pid_t> out;
    for (const auto& [pid, process] : processes_) {
      if (process.info.ppid == parent) out.push_back(pid);
    }
    return out;
  }

  mutable std::vector<std::string> calls;

 private:
  [[nodiscard]] const Process* find(pid_t pid) const {
    const auto found = processes_.find(pid);
    return found == processes_.end() ? nullptr : &found->second;
  }
  static core::Error gone(pid_t pid) { return {core::ErrorCode::kNotFound, "fake: no process " + std::to_string(pid)}; }
  static core::Error forbidden() { return {core::ErrorCode::kPermission, "fake: not readable"}; }
  static core::Error unset(const std::string& what) {
    return {core::ErrorCode::kUnsupported, "fake: listeners of " + what + " were not configured"};
  }

  std::map<pid_t, Process> processes_;
  std::map<std::uint16_t, std::vector<readings::InetSocket>> tcp_;
  std::map<std::string, std::vector<std::uint64_t>, std::less<>> unix_;
};

}  // namespace antifreeze::host::fake
