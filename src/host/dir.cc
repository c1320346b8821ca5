#include "host/dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/text.h"

namespace antifreeze::host {
namespace {

using core::errno_error;
using core::Error;
using core::ErrorCode;
using core::Fd;
using core::Result;
using core::retry_eintr;
using core::Status;

constexpr std::size_t kChunk = 4096;

std::string quoted(const std::string& name) { return "'" + core::printable(name) + "'"; }

Error not_regular(const std::string& name, std::string_view instead) {
  return {ErrorCode::kTampered, quoted(name) + " is " + std::string(instead) + ", not a regular file"};
}

bool is_link(int at, const std::string& path) {
  struct stat st{};
  return ::fstatat(at, path.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

std::string_view type_name(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISLNK(mode)) return "a symbolic link";
  return "a device";
}

/// Reads with `read_some(buffer, size)` until the end or until `max` bytes are there.
template <typename ReadSome>
Result<std::string> read_up_to(std::size_t max, ReadSome read_some) {
  std::string out;
  std::array<char, kChunk> buffer;
  while (out.size() < max) {
    const std::size_t want = std::min(buffer.size(), max - out.size());
    const ssize_t got = retry_eintr([&] { return read_some(buffer.data(), want, out.size()); });
    if (got < 0) return errno_error("reading", errno);
    if (got == 0) break;
    out.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return out;
}

/// Writes everything with `write_some(data, size, done)`.
template <typename WriteSome>
Status write_everything(std::string_view data, WriteSome write_some) {
  std::size_t done = 0;
  while (done < data.size()) {
    const ssize_t put = retry_eintr([&] { return write_some(data.data() + done, data.size() - done, done); });
    if (put < 0) return errno_error("writing", errno);
    if (put == 0) return errno_error("writing", ENOSPC);
    done += static_cast<std::size_t>(put);
  }
  return {};
}

Status write_new_file(int dirfd, const std::string& name, std::string_view content, mode_t mode, bool sync) {
  auto fd = open_regular_at(dirfd, name, O_WRONLY | O_CREAT | O_EXCL, mode);
  if (!fd) return std::move(fd).error();
  if (::fchmod(fd->get(), mode) != 0) return errno_error("setting the mode of " + quoted(name), errno);
  if (auto written = write_all(fd->get(), content); !written) {
    return std::move(written).error().with_context(quoted(name));
  }
  if (sync && retry_eintr([&] { return ::fsync(fd->get()); }) != 0) {
    return errno_error("syncing " + quoted(name), errno);
  }
  return {};
}

}  // namespace

void reserve_standard_fds() {
  for (int fd = 0; fd <= 2; ++fd) {
    // The lowest free number is what open gives: this one.
    if (::fcntl(fd, F_GETFD) == -1) (void)::open("/dev/null", O_RDWR | O_CLOEXEC);
  }
}

Result<Fd> open_dir(int at, const std::string& path) {
  const int fd = retry_eintr(
      [&] { return ::openat(at, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK); });
  if (fd >= 0) return Fd(fd);
  const int failed = errno;
  if (failed == ENOTDIR || failed == ELOOP) {
    if (is_link(at, path)) return Error(ErrorCode::kTampered, quoted(path) + " is a symbolic link, not a directory");
    struct stat st{};
    if (::fstatat(at, path.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0) {
      return Error(ErrorCode::kInvalid, quoted(path) + " is not a directory");
    }
  }
  return errno_error("opening directory " + quoted(path), failed);
}

Result<Fd> open_regular_at(int dirfd, const std::string& name, int flags, mode_t mode) {
  const int all_flags = flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
  Fd fd(retry_eintr([&] { return ::openat(dirfd, name.c_str(), all_flags, mode); }));
  if (!fd.valid()) {
    const int failed = errno;
    if (failed == ELOOP) return not_regular(name, "a symbolic link");
    if (failed == EISDIR) return not_regular(name, "a directory");
    if (failed == ENXIO) return not_regular(name, "a FIFO or a socket");
    return errno_error("opening " + quoted(name), failed);
  }
  struct stat st{};
  if (::fstat(fd.get(), &st) != 0) return errno_error("looking at " + quoted(name), errno);
  if (!S_ISREG(st.st_mode)) return not_regular(name, type_name(st.st_mode));
  return fd;
}

Status for_each_name(int dirfd, bool (*visit)(const char* name, void* context), void* context) {
  const Fd own(retry_eintr([&] { return ::openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!own.valid()) return errno_error("listing a directory", errno);
  alignas(dirent64) std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t got = ::getdents64(own.get(), buffer.data(), buffer.size());
    if (got < 0) return errno_error("listing a directory", errno);
    if (got == 0) return {};
    for (ssize_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (!visit(entry->d_name, context)) return {};
    }
  }
}

Result<NameList> list_names(int dirfd, std::size_t max) {
  NameList list;
  auto listed = for_each_name(dirfd, [&](const char* name) {
    list.truncated = list.names.size() == max;
    if (!list.truncated) list.names.emplace_back(name);
    return !list.truncated;
  });
  if (!listed) return std::move(listed).error();
  std::sort(list.names.begin(), list.names.end());
  return list;
}

Result<std::string> read_all(int fd, std::size_t max) {
  auto text = read_up_to(max + 1, [fd](char* to, std::size_t size, std::size_t) { return ::read(fd, to, size); });
  if (text && text->size() > max) {
    return Error(ErrorCode::kInvalid, "larger than the " + std::to_string(max) + " bytes allowed");
  }
  return text;
}

Result<std::string> pread_all(int fd, std::size_t max) {
  return read_up_to(max, [fd](char* to, std::size_t size, std::size_t done) {
    return ::pread(fd, to, size, static_cast<off_t>(done));
  });
}

Status for_each_block(int fd, void (*visit)(std::string_view lines, void* context), void* context) {
  constexpr std::size_t kMaxLine = 65536;
  std::string pending;
  bool skipping = false;  // inside a line that is too long
  std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t got = retry_eintr([&] { return ::read(fd, buffer.data(), buffer.size()); });
    if (got < 0) return errno_error("reading", errno);
    if (got == 0) break;
    std::string_view block(buffer.data(), static_cast<std::size_t>(got));
    if (skipping) {
      const auto end = block.find('\n');
      if (end == std::string_view::npos) continue;
      block.remove_prefix(end + 1);
      skipping = false;
    }
    pending += block;
    const auto last = pending.rfind('\n');
    if (last != std::string::npos) {
      visit(std::string_view(pending).substr(0, last + 1), context);
      pending.erase(0, last + 1);
    }
    skipping = pending.size() > kMaxLine;
    if (skipping) pending.clear();
  }
  if (!pending.empty()) visit(pending, context);
  return {};
}

Result<std::string> read_file_at(int dirfd, const std::string& name, std::size_t max) {
  auto fd = open_regular_at(dirfd, name, O_RDONLY);
  if (!fd) return std::move(fd).error();
  auto text = read_all(fd->get(), max);
  if (!text) return std::move(text).error().with_context(quoted(name));
  return text;
}

Status write_all(int fd, std::string_view data) {
  return write_everything(data,
                          [fd](const char* from, std::size_t size, std::size_t) { return ::write(fd, from, size); });
}

Status pwrite_all(int fd, std::string_view data, off_t offset) {
  return write_everything(data, [fd, offset](const char* from, std::size_t size, std::size_t done) {
    return ::pwrite(fd, from, size, offset + static_cast<off_t>(done));
  });
}

Status write_file_atomic(int dirfd, const std::string& name, std::string_view content, mode_t mode, bool sync) {
  auto suffix = random_hex(6);
  if (!suffix) return std::move(suffix).error();
  const std::string temporary = "." + name + "." + *suffix;
  auto written = write_new_file(dirfd, temporary, content, mode, sync);
  if (written && ::renameat(dirfd, temporary.c_str(), dirfd, name.c_str()) != 0) {
    written = errno_error("putting " + quoted(name) + " in place", errno);
  }
  if (!written) {
    ::unlinkat(dirfd, temporary.c_str(), 0);
    return written;
  }
  if (!sync) return {};
  // The name itself is on disk only after the directory is; `dirfd` may be O_PATH, which cannot be synced.
  const Fd own(retry_eintr([&] { return ::openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!own.valid() || retry_eintr([&] { return ::fsync(own.get()); }) != 0) {
    return errno_error("syncing the directory of " + quoted(name), errno);
  }
  return {};
}

Result<std::string> random_hex(std::size_t bytes) {
  std::vector<std::uint8_t> random(bytes);
  std::size_t done = 0;
  while (done < bytes) {  // once: up to 256 bytes come whole (getrandom(2))
    const ssize_t got = retry_eintr([&] { return ::getrandom(random.data() + done, bytes - done, 0); });
    if (got <= 0) return errno_error("asking the kernel for random bytes", errno);
    done += static_cast<std::size_t>(got);
  }
  std::string out;
  out.reserve(bytes * 2);
  for (const auto byte : random) out += core::to_hex(byte, 2);
  return out;
}

Result<bool> is_same_file(int fd, int dirfd, const std::string& name) {
  struct stat opened{};
  struct stat named{};
  if (::fstat(fd, &opened) != 0) return errno_error("looking at an open file", errno);
  if (::fstatat(dirfd, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return false;
    return errno_error("looking at " + quoted(name), errno);
  }
  return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

Result<readings::FileSystemKind> file_system_of(int fd) {
  struct statfs fs{};
  if (retry_eintr([&] { return ::fstatfs(fd, &fs); }) != 0) return errno_error("asking for the file system", errno);
  return readings::file_system_kind(static_cast<std::uint64_t>(fs.f_type));
}

}  // namespace antifreeze::host
