#include "host/memory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/text.h"
#include "host/dir.h"
#include "readings/meminfo.h"

namespace antifreeze::host {
namespace {

using core::Error;
using core::ErrorCode;

constexpr auto kStillFresh = std::chrono::milliseconds(5);

/// /proc/meminfo has about 1.5 KiB; twice its size in ten years' time still fits.
constexpr std::size_t kMaxMeminfo = 16384;

core::Result<core::Fd> open_meminfo(const std::string& path) {
  // Links are followed: the path is the operator's. O_NONBLOCK: should it be a FIFO, opening must not wait.
  core::Fd fd(core::retry_eintr([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); }));
  if (!fd.valid()) return core::errno_error("opening '" + core::printable(path) + "'", errno);
  struct stat st{};
  if (::fstat(fd.get(), &st) != 0 || !S_ISREG(st.st_mode)) {
    return Error(ErrorCode::kInvalid, "'" + core::printable(path) + "' is not a regular file");
  }
  return fd;
}

core::Result<MemoryReading> read_meminfo(int fd, const std::string& path) {
  // One read holds it all: the kernel makes the whole file as one record, and anew for every read, the empty last too.
  std::array<char, kMaxMeminfo> text;
  const auto got = core::retry_eintr([&] { return ::pread(fd, text.data(), text.size(), 0); });
  if (got < 0) return core::errno_error("reading '" + core::printable(path) + "'", errno);
  const auto info = readings::parse_meminfo(std::string_view(text.data(), static_cast<std::size_t>(got)));
  if (!info.free && !info.available) {
    return Error(ErrorCode::kInvalid, "'" + core::printable(path) + "' says neither MemFree nor MemAvailable");
  }
  return MemoryReading{info.total, info.free, info.available};
}

}  // namespace

std::string_view to_string(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kUnified:
      return "unified memory";
    case MemoryKind::kHostOnly:
      return "host memory";
    case MemoryKind::kDiscrete:
      break;
  }
  return "GPU with its own memory";
}

core::Result<std::unique_ptr<MeminfoSource>> MeminfoSource::open(const std::string& path, MemoryKind kind) {
  auto fd = open_meminfo(path);
  if (!fd) return std::move(fd).error();
  auto first = read_meminfo(fd->get(), path);
  if (!first) return std::move(first).error();
  const auto fs = file_system_of(fd->get());
  core::Fd kept;
  if (fs && fs->name == "proc") kept = *std::move(fd);
  auto source = std::unique_ptr<MeminfoSource>(new MeminfoSource(path, std::move(kept), kind));
  if (source->kept_.valid()) {
    source->last_ = *first;
    source->last_at_ = std::chrono::steady_clock::now();
  }
  return source;
}

core::Result<MemoryReading> MeminfoSource::read() const {
  if (kept_.valid()) {
    const auto now = std::chrono::steady_clock::now();
    if (last_ && now - last_at_ < kStillFresh) return *last_;
    auto reading = read_meminfo(kept_.get(), path_);
    last_ = reading ? std::optional(*reading) : std::nullopt;
    last_at_ = now;
    return reading;
  }
  const auto fd = open_meminfo(path_);
  if (!fd) return Error(fd.error());
  return read_meminfo(fd->get(), path_);
}

}  // namespace antifreeze::host
