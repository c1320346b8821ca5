#include "host/lock_owners.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/text.h"
#include "host/dir.h"
#include "readings/file_locks.h"

namespace antifreeze::host {
namespace {

using FileKey = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;
using Wanted = std::map<FileKey, std::size_t>;

/// fdinfo of a descriptor has some hundred bytes; an inotify or epoll descriptor with thousands of watches has more and
/// is none of ours.
constexpr std::size_t kMaxFdinfo = 16 * 1024;
constexpr std::size_t kMaxNames = 1 << 20;

void look_at_process(const core::Fd& fdinfo, pid_t pid, const Wanted& wanted, std::vector<std::vector<pid_t>>& owners) {
  const auto names = list_names(fdinfo.get(), kMaxNames);
  if (!names) return;
  for (const auto& name : names->names) {
    const auto text = read_file_at(fdinfo.get(), name, kMaxFdinfo);
    if (!text || text->find("lock:") == std::string::npos) continue;
    for (const auto& lock : readings::parse_fdinfo_locks(*text)) {
      const auto it = wanted.find({lock.dev_major, lock.dev_minor, lock.inode});
      if (it == wanted.end() || !lock.write) continue;
      auto& list = owners[it->second];
      if (list.empty() || list.back() != pid) list.push_back(pid);
    }
  }
}

}  // namespace

std::vector<std::vector<pid_t>> write_lock_owners(std::span<const int> fds, const std::string& proc) {
  std::vector<std::vector<pid_t>> owners(fds.size());
  Wanted wanted;
  for (std::size_t i = 0; i < fds.size(); ++i) {
    struct stat info{};
    if (fds[i] < 0 || ::fstat(fds[i], &info) != 0) continue;
    wanted.emplace(FileKey{gnu_dev_major(info.st_dev), gnu_dev_minor(info.st_dev), info.st_ino}, i);
  }
  const auto root = wanted.empty() ? core::Result<core::Fd>(core::Fd()) : open_dir(AT_FDCWD, proc);
  if (wanted.empty() || !root) return owners;
  const auto names = list_names(root->get(), kMaxNames);
  if (!names) return owners;
  for (const auto& name : names->names) {
    const auto pid = core::parse_int(name);
    if (!pid || *pid <= 0 || *pid > INT32_MAX) continue;
    const auto fdinfo = open_dir(root->get(), name + "/fdinfo");
    if (fdinfo) look_at_process(*fdinfo, static_cast<pid_t>(*pid), wanted, owners);
  }
  for (auto& list : owners) std::ranges::sort(list);
  return owners;
}

}  // namespace antifreeze::host
