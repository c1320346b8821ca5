#include "gate/keep_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/text.h"
#include "gate/breaker_file.h"
#include "gate/event_log.h"
#include "host/dir.h"
#include "host/dir_edit.h"

namespace antifreeze::gate {
namespace {

using core::Error;
using core::ErrorCode;

/// More than the tmpfs of the gate has inodes (4096).
constexpr std::size_t kMaxNames = 8192;

struct BreakerFile {
  std::string content;
  uid_t uid = 0;
  gid_t gid = 0;
};

core::Result<BreakerFile> read_breaker_file(int dirfd, const std::string& name) {
  const auto fd = host::open_regular_at(dirfd, name, O_RDONLY);
  if (!fd) return fd.error();
  struct stat st{};
  if (::fstat(fd->get(), &st) != 0) return core::errno_error("looking at " + name, errno);
  auto content = host::read_all(fd->get(), kBreakerFileBytes);
  if (!content) return std::move(content).error();
  const auto record = decode_breaker(*content);
  if (!record) return record.error();
  // A long name was cut in the record: then only the file's name tells, and it passed the pattern.
  if (breaker_file_name(record->service) != name && name.find("%%") == std::string::npos) {
    return Error(ErrorCode::kTampered, "belongs to another service");
  }
  return BreakerFile{std::move(*content), st.st_uid, st.st_gid};
}

core::Result<std::vector<std::string>> breaker_names(int dirfd) {
  auto list = host::list_names(dirfd, kMaxNames);
  if (!list) return std::move(list).error();
  // An incomplete list would let mirroring remove copies whose source was only not listed.
  if (list->truncated) return Error(ErrorCode::kFull, "more than " + std::to_string(kMaxNames) + " names");
  std::erase_if(list->names, [](const std::string& name) { return !is_breaker_file_name(name); });
  return std::move(list->names);
}

bool contains(const std::vector<std::string>& sorted, const std::string& name) {
  return std::ranges::binary_search(sorted, name);
}

/// Which ones are taken when there are too many: those that are known already come first, so that a flood of new names
/// cannot push them out.
void bound(std::vector<std::string>& names, const std::vector<std::string>& known, CopyReport& report) {
  if (names.size() <= kMaxBreakersKept) return;
  std::ranges::partition(names, [&](const std::string& name) { return contains(known, name); });
  report.warnings.push_back(std::to_string(names.size() - kMaxBreakersKept) + " breaker records of " +
                            std::to_string(names.size()) + " are too many and were left out");
  names.resize(kMaxBreakersKept);
}

core::Status put_breaker(int dirfd, const std::string& name, const BreakerFile& file) {
  if (auto written = host::write_file_atomic(dirfd, name, file.content, 0644, true); !written) return written;
  if (::geteuid() == 0 && ::fchownat(dirfd, name.c_str(), file.uid, file.gid, AT_SYMLINK_NOFOLLOW) != 0) {
    return core::errno_error("giving " + name + " its owner", errno);
  }
  return {};
}

core::Status copy_one(int from_fd, int to_fd, const std::string& name, bool replace, CopyReport& report) {
  const auto there = read_breaker_file(to_fd, name);
  if (!replace && (there || there.error().code() != ErrorCode::kNotFound)) return {};
  const auto source = read_breaker_file(from_fd, name);
  if (!source) {
    if (source.error().code() != ErrorCode::kNotFound) {  // gone since it was listed: no news
      report.warnings.push_back(name + ": " + core::printable(source.error().message()));
    }
    return {};
  }
  if (there && there->content == source->content && there->uid == source->uid && there->gid == source->gid) return {};
  if (auto put = put_breaker(to_fd, name, *source); !put) return put;
  ++report.changed;
  return {};
}

/// The whole of a log generation, or its last kEventLogBytes from a line's beginning on. Not there: empty.
core::Result<std::string> read_log(int dirfd, std::string_view name) {
  const auto fd = host::open_regular_at(dirfd, std::string(name), O_RDONLY);
  if (!fd) {
    if (fd.error().code() == ErrorCode::kNotFound) return std::string();
    return fd.error();
  }
  // The writer rotates with the first line beyond the bound; more than a line above it is mischief.
  constexpr std::uint64_t kSlack = 64 * 1024;
  const auto info = host::file_info(fd->get());
  if (!info) return info.error();
  const bool too_long = info->size_bytes > kEventLogBytes + kSlack;
  const auto start = static_cast<off_t>(too_long ? info->size_bytes - kEventLogBytes : 0);
  if (::lseek(fd->get(), start, SEEK_SET) < 0) return core::errno_error("seeking in " + std::string(name), errno);
  std::string content(static_cast<std::size_t>(info->size_bytes) - static_cast<std::size_t>(start), '\0');
  std::size_t got = 0;
  while (got < content.size()) {
    const auto part = core::retry_eintr([&] { return ::read(fd->get(), content.data() + got, content.size() - got); });
    if (part < 0) return core::errno_error("reading " + std::string(name), errno);
    if (part == 0) break;
    got += static_cast<std::size_t>(part);
  }
  content.resize(got);
  if (too_long) content.erase(0, content.find('\n') + 1);
  return content;
}

}  // namespace

core::Status copy_breakers(int from_fd, int to_fd, bool mirror, CopyReport& report) {
  auto names = breaker_names(from_fd);
  if (!names) return std::move(names).error().with_context("breaker records");
  const auto known = breaker_names(to_fd);
  if (!known) return Error(known.error()).with_context("breaker records");
  if (mirror) {
    for (const auto& name : *known) {
      if (contains(*names, name)) continue;
      if (auto removed = host::unlink_at(to_fd, name); !removed) return removed;
      ++report.changed;
    }
  }
  bound(*names, *known, report);
  core::Status result;
  for (const auto& name : *names) {
    // One that cannot be written must not keep the others from being saved.
    if (auto copied = copy_one(from_fd, to_fd, name, mirror, report); !copied) result = std::move(copied);
  }
  return result;
}

core::Status save_log(int gate_fd, int state_fd, CopyReport& report) {
  const std::string current(kEventLogName);
  const std::string older(kOldEventLogName);
  auto source = read_log(gate_fd, current);
  if (!source) {
    report.warnings.push_back(current + ": " + core::printable(source.error().message()));
    return {};
  }
  const auto saved = read_log(state_fd, current);
  if (!saved) return Error(saved.error()).with_context("saved event log");
  if (*source == *saved) return {};
  ++report.changed;
  if (source->starts_with(*saved) && !saved->empty()) {
    auto fd = host::open_regular_at(state_fd, current, O_WRONLY | O_APPEND);
    if (!fd) return std::move(fd).error();
    if (auto written = host::write_all(fd->get(), std::string_view(*source).substr(saved->size())); !written) {
      return written;
    }
    if (::fdatasync(fd->get()) != 0) return core::errno_error("syncing the saved event log", errno);
    return {};
  }
  if (!saved->empty()) {
    // A new generation. Usually the old one was renamed and has grown a little since; where it could only be emptied
    // (it belonged to another user), what was saved of it is all there is.
    const auto rotated = read_log(gate_fd, older);
    const bool renamed = rotated && rotated->starts_with(*saved);
    auto kept = host::write_file_atomic(state_fd, older, renamed ? *rotated : *saved, 0644, true);
    if (!kept) return kept;
  }
  return host::write_file_atomic(state_fd, current, *source, 0644, true);
}

core::Status restore_log(int state_fd, int gate_fd, CopyReport& report) {
  for (const auto name : {kEventLogName, kOldEventLogName}) {
    const auto there = host::open_regular_at(gate_fd, std::string(name), O_RDONLY);
    if (there || there.error().code() != ErrorCode::kNotFound) continue;
    auto saved = read_log(state_fd, name);
    if (!saved) {
      report.warnings.push_back(std::string(name) + ": " + saved.error().message());
      continue;
    }
    const std::size_t whole = saved->rfind('\n') + 1;  // npos + 1 is 0
    if (whole != saved->size()) {
      // Also on disk: save_log takes a copy that the gate's log does not begin with for an older generation.
      saved->resize(whole);
      if (auto cut = host::write_file_atomic(state_fd, std::string(name), *saved, 0644, true); !cut) return cut;
    }
    if (saved->empty()) continue;
    if (auto put = host::write_file_atomic(gate_fd, std::string(name), *saved, 0666, false); !put) return put;
    ++report.changed;
  }
  return {};
}

}  // namespace antifreeze::gate
