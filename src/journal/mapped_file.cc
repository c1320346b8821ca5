#include "journal/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

#include "core/fd.h"
#include "host/dir.h"

namespace antifreeze::journal {
namespace {

struct Range {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
};

// A handler can reach nothing but globals. One row a mapping; a file beyond that is refused, not left unguarded.
constexpr std::size_t kMaxMappings = 4096;
std::array<Range, kMaxMappings> mappings;
struct sigaction before;

void on_bus_error(int number, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const Range& range : mappings) {
    if (at < range.begin.load() || at >= range.end.load()) continue;
    const auto page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    void* page = reinterpret_cast<void*>(at & ~(page_size - 1));
    if (::mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page) return;
    break;
  }
  // Not ours: fault again, under the handler that was there before.
  ::sigaction(number, &before, nullptr);
}

bool guard(const char* data, std::size_t size) {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    return ::sigaction(SIGBUS, &action, &before) == 0;
  }();
  if (!installed) return false;
  for (Range& range : mappings) {
    std::uintptr_t empty = 0;
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    if (!range.begin.compare_exchange_strong(empty, begin)) continue;
    range.end.store(begin + size);
    return true;
  }
  return false;
}

void unguard(const char* data) {
  for (Range& range : mappings) {
    if (range.begin.load() != reinterpret_cast<std::uintptr_t>(data)) continue;
    range.end.store(0);
    range.begin.store(0);
    return;
  }
}

}  // namespace

core::Result<MappedFile> MappedFile::open(const std::string& path) {
  auto fd = host::open_regular_at(AT_FDCWD, path, O_RDONLY);
  if (!fd) return std::move(fd).error();
  struct stat info = {};
  if (::fstat(fd->get(), &info) != 0) return core::errno_error("looking at " + path, errno);
  MappedFile file;
  if (info.st_size <= 0) return file;
  file.size_ = static_cast<std::size_t>(info.st_size);
  void* data = ::mmap(nullptr, file.size_, PROT_READ, MAP_SHARED, fd->get(), 0);
  if (data == MAP_FAILED) {
    file.size_ = 0;
    return core::errno_error("mapping " + path, errno);
  }
  file.data_ = static_cast<const char*>(data);
  if (!guard(file.data_, file.size_)) return core::Error(core::ErrorCode::kFull, path + ": too many files at once");
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      released_(std::exchange(other.released_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(released_, other.released_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  unguard(data_);
  ::munmap(const_cast<char*>(data_), size_);
}

void MappedFile::done_until(std::size_t offset) {
  constexpr std::size_t kStep = std::size_t{16} << 20;
  const std::size_t until = std::min(offset, size_) / kStep * kStep;
  if (until <= released_) return;
  ::madvise(const_cast<char*>(data_) + released_, until - released_, MADV_DONTNEED);
  released_ = until;
}

}  // namespace antifreeze::journal
