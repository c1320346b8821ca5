#include "host/proc_tree.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>

#include "core/text.h"
#include "host/dir.h"
#include "readings/environ.h"
#include "readings/fd_link.h"
#include "readings/proc_stat.h"

namespace antifreeze::host {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::size_t kMaxStat = 4096;
/// Arguments and environment together: a quarter of the usual 8 MiB stack (execve(2)).
constexpr std::size_t kMaxEnviron = 2 * 1024 * 1024;
/// An inference server has hundreds; the usual hard limit in containers is a million, which nobody reaches.
constexpr std::size_t kMaxDescriptors = 65536;

std::string at(pid_t pid, std::string_view file) {
  std::string path = pid == 0 ? "self" : std::to_string(pid);
  path += '/';
  path += file;
  return path;
}

std::optional<pid_t> parse_pid(std::string_view name) {
  const auto number = core::parse_uint(name);
  if (!number || *number == 0 || *number > 0x7fffffff) return std::nullopt;
  return static_cast<pid_t>(*number);
}

Result<ProcInfo> to_info(std::string_view stat_text, pid_t pid) {
  auto stat = readings::parse_proc_stat(stat_text);
  if (!stat) return Error(ErrorCode::kInvalid, "/proc/" + std::to_string(pid) + "/stat is not readable as such");
  return ProcInfo{pid, static_cast<pid_t>(stat->ppid), std::move(stat->comm), stat->state, stat->starttime_ticks};
}

void add_io(TreeUsage& usage, std::string_view text) {
  const auto io = readings::parse_proc_io(text);
  for (const auto& part : {io.rchar, io.wchar, io.read_bytes, io.write_bytes}) {
    if (part) usage.io_bytes = usage.io_bytes.value_or(0) + *part;
  }
}

/// A process that ends while we read it answers ESRCH, its descriptors may be gone one by one.
bool is_gone(const Error& error) { return error.code() == ErrorCode::kNotFound; }

}  // namespace

Result<std::unique_ptr<RealProcTree>> RealProcTree::open(const std::string& proc_root) {
  auto root = open_dir(AT_FDCWD, proc_root);
  if (!root) return std::move(root).error();
  const long page = ::sysconf(_SC_PAGESIZE);
  return std::unique_ptr<RealProcTree>(
      new RealProcTree(*std::move(root), page > 0 ? static_cast<std::uint64_t>(page) : 4096));
}

template <typename Visit>
void RealProcTree::each_pid(Visit visit) const {
  const auto listed = for_each_name(root_.get(), [&](const char* name) {
    if (const auto pid = parse_pid(name)) visit(*pid);
    return true;
  });
  (void)listed;  // a /proc that cannot be listed has no processes for us
}

Result<std::string> RealProcTree::read(pid_t pid, std::string_view file, std::size_t max) const {
  const auto fd = open_regular_at(root_.get(), at(pid, file), O_RDONLY);
  if (!fd) return Error(fd.error());
  return pread_all(fd->get(), max);
}

template <typename Visit>
core::Status RealProcTree::read_table(pid_t pid, std::string_view file, Visit visit) const {
  auto fd = open_regular_at(root_.get(), at(pid, file), O_RDONLY);
  if (!fd) return std::move(fd).error();
  return for_each_block(fd->get(), visit);
}

Result<ProcInfo> RealProcTree::process(pid_t pid) const {
  auto text = read(pid, "stat", kMaxStat);
  if (!text) return std::move(text).error();
  return to_info(*text, pid);
}

std::vector<ProcInfo> RealProcTree::descendants(pid_t root) const {
  std::vector<ProcInfo> all;
  each_pid([&](pid_t pid) {
    if (auto info = process(pid)) all.push_back(*std::move(info));
  });
  std::multimap<pid_t, std::size_t> by_parent;
  for (std::size_t i = 0; i < all.size(); ++i) by_parent.emplace(all[i].ppid, i);
  std::vector<ProcInfo> found;
  std::vector<pid_t> to_visit{root};
  while (!to_visit.empty()) {
    const pid_t parent = to_visit.back();
    to_visit.pop_back();
    const auto [begin, end] = by_parent.equal_range(parent);
    for (auto it = begin; it != end; ++it) {
      to_visit.push_back(all[it->second].pid);
      found.push_back(std::move(all[it->second]));
    }
    // Each process is found once: the snapshot is not atomic, and a forged /proc may hold a ring of parents.
    by_parent.erase(begin, end);
  }
  std::erase_if(found, [root](const ProcInfo& info) { return info.pid == root; });
  std::sort(found.begin(), found.end(), [](const ProcInfo& a, const ProcInfo& b) { return a.pid < b.pid; });
  return found;
}

TreeUsage RealProcTree::usage(std::span<const pid_t> pids) const {
  TreeUsage usage;
  for (const pid_t pid : pids) {
    const auto text = read(pid, "stat", kMaxStat);
    const auto stat = text ? readings::parse_proc_stat(*text) : std::nullopt;
    if (!stat) continue;
    usage.cpu_ticks += stat->utime_ticks + stat->stime_ticks;
    usage.rss_bytes += stat->rss_pages * page_bytes_;
    if (const auto io = read(pid, "io", kMaxStat)) add_io(usage, *io);
  }
  return usage;
}

Result<std::vector<std::uint64_t>> RealProcTree::socket_inodes(pid_t pid) const {
  const auto dir = open_dir(root_.get(), at(pid, "fd"));
  if (!dir) return Error(dir.error());
  std::vector<std::uint64_t> inodes;
  std::size_t seen = 0;
  int failed = 0;
  auto listed = for_each_name(dir->get(), [&](const char* name) {
    std::array<char, 64> target;
    const ssize_t size = ::readlinkat(dir->get(), name, target.data(), target.size());
    if (size < 0 && (errno == EACCES || errno == EPERM)) {
      failed = errno;  // the directory may be listed, its links may not be read: a matter of capabilities
      return false;
    }
    if (size > 0) {
      const auto inode = readings::socket_inode({target.data(), static_cast<std::size_t>(size)});
      if (inode) inodes.push_back(*inode);
    }
    return ++seen < kMaxDescriptors;
  });
  if (failed != 0) return core::errno_error("reading the descriptors of process " + std::to_string(pid), failed);
  if (!listed) return std::move(listed).error();
  std::sort(inodes.begin(), inodes.end());
  return inodes;
}

Result<std::vector<readings::InetSocket>> RealProcTree::tcp_listeners(std::uint16_t port, pid_t pid) const {
  std::vector<readings::InetSocket> listeners;
  for (const std::string_view table : {"net/tcp", "net/tcp6"}) {
    auto read = read_table(pid, table, [&](std::string_view lines) {
      for (const auto& socket : readings::parse_net_tcp(lines)) {
        if (socket.state == readings::kTcpListen && socket.port == port) listeners.push_back(socket);
      }
    });
    // Without IPv6 there is no tcp6; without tcp we know nothing.
    if (!read && (table == "net/tcp" || !is_gone(read.error()))) return std::move(read).error();
  }
  return listeners;
}

Result<std::vector<std::uint64_t>> RealProcTree::unix_listeners(std::string_view path, pid_t pid) const {
  std::vector<std::uint64_t> listeners;
  auto read = read_table(pid, "net/unix", [&](std::string_view lines) {
    for (const auto inode : readings::listening_inodes(lines, path)) listeners.push_back(inode);
  });
  if (!read) return std::move(read).error();
  return listeners;
}

Result<std::optional<std::string>> RealProcTree::environment_value(pid_t pid, std::string_view key) const {
  const auto text = read(pid, "environ", kMaxEnviron);
  if (!text) return Error(text.error());
  const auto value = readings::find_in_environ(*text, key);
  return value ? std::optional<std::string>(*value) : std::nullopt;
}

std::vector<pid_t> RealProcTree::find_by_environment(std::string_view key, std::string_view value) const {
  std::vector<pid_t> found;
  each_pid([&](pid_t pid) {
    const auto text = read(pid, "environ", kMaxEnviron);
    if (text && readings::find_in_environ(*text, key) == value) found.push_back(pid);
  });
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<pid_t> RealProcTree::children(pid_t pid) const {
  std::vector<pid_t> found;
  if (!read_children_files(pid, found)) {  // needs a kernel with CONFIG_PROC_CHILDREN
    found.clear();
    each_pid([&](pid_t candidate) {
      const auto info = process(candidate);
      if (info && info->ppid == pid) found.push_back(candidate);
    });
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// /proc/PID/task/TID/children names what each thread has forked. False when the kernel has no such files.
bool RealProcTree::read_children_files(pid_t pid, std::vector<pid_t>& found) const {
  const auto tasks = open_dir(root_.get(), at(pid, "task"));
  if (!tasks) return is_gone(tasks.error()) && !process(pid);
  bool any = false;
  const auto listed = for_each_name(tasks->get(), [&](const char* thread) {
    const auto text = read_file_at(tasks->get(), std::string(thread) + "/children", kMaxEnviron);
    if (!text) return true;  // the thread ended, or there are no such files at all
    any = true;
    for (const auto word : core::split_words(*text)) {
      if (const auto child = parse_pid(word)) found.push_back(*child);
    }
    return true;
  });
  return any && listed;
}

}  // namespace antifreeze::host
