#include "host/pid_census.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "host/dir.h"
#include "readings/proc_stat.h"

namespace antifreeze::host {
namespace {

/// The namespace of the machine itself, from which every process can be seen (linux/proc_ns.h, PROC_PID_INIT_INO).
constexpr std::uint64_t kInitialNamespace = 0xEFFFFFFC;
constexpr std::size_t kMaxStatus = 8192;
/// Start times come in ticks of a hundredth (USER_HZ of every Linux architecture that this runs on).
constexpr std::int64_t kTickNs = 10'000'000;
/// Clocks of another time namespace, and ticks that were cut.
constexpr core::Nanos kTolerance = std::chrono::seconds(1);

std::optional<std::uint64_t> namespace_of(int root, const std::string& pid) {
  std::array<char, 64> target;
  const ssize_t size = ::readlinkat(root, (pid + "/ns/pid").c_str(), target.data(), target.size());
  std::string_view text(target.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  if (!text.starts_with("pid:[") || !text.ends_with(']')) return std::nullopt;
  return core::parse_uint(text.substr(5, text.size() - 6));
}

std::optional<std::string> read_some(int root, const std::string& path) {
  const auto fd = open_regular_at(root, path, O_RDONLY);
  if (!fd) return std::nullopt;
  auto text = pread_all(fd->get(), kMaxStatus);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

}  // namespace

core::Result<PidCensus> PidCensus::take(const std::string& proc_root) {
  const auto root = open_dir(AT_FDCWD, proc_root);
  if (!root) return root.error();
  PidCensus census;
  census.own_namespace_ = namespace_of(root->get(), "self").value_or(0);
  census.hides_others_ = !read_some(root->get(), "1/stat");
  const auto listed = for_each_name(root->get(), [&](const char* name) {
    const std::string pid = name;
    if (!core::parse_uint(pid)) return true;
    const auto stat_text = read_some(root->get(), pid + "/stat");
    const auto stat = stat_text ? readings::parse_proc_stat(*stat_text) : std::nullopt;
    if (!stat || stat->state == 'Z') return true;
    const auto status = read_some(root->get(), pid + "/status");
    const auto innermost = status ? readings::innermost_pid(*status) : std::nullopt;
    const auto ticks = std::min<std::uint64_t>(stat->starttime_ticks, INT64_MAX / kTickNs);
    census.entries_.push_back(
        {innermost.value_or(stat->pid), namespace_of(root->get(), pid), {static_cast<std::int64_t>(ticks) * kTickNs}});
    return true;
  });
  if (!listed) return listed.error();
  return census;
}

Life PidCensus::of(const SelfNamed& process) const {
  const bool found = std::ranges::any_of(entries_, [&](const Entry& entry) {
    if (entry.pid != process.pid || entry.started > process.seen + kTolerance) return false;
    return !entry.pid_namespace || !process.pid_namespace || *entry.pid_namespace == *process.pid_namespace;
  });
  if (found) return Life::kAlive;
  const bool sees_all =
      own_namespace_ == kInitialNamespace || (own_namespace_ != 0 && process.pid_namespace == own_namespace_);
  return sees_all && !hides_others_ ? Life::kGone : Life::kUnknown;
}

}  // namespace antifreeze::host
