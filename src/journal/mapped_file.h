// A file's content in memory, read by page faults. Costs no anonymous memory however large the file is.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace antifreeze::journal {

/// Maps a regular file read-only. A file that is cut while we read it (journald truncates when it archives) reads as
/// zeros from there on, in place of a SIGBUS: the first mapping installs a handler for that, which passes faults
/// elsewhere on to what was there before.
class MappedFile {
 public:
  /// A link, FIFO, device or directory in the last place is kTampered; an empty file is a mapping of no bytes.
  static core::Result<MappedFile> open(const std::string& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }
  /// Says that what lies before `offset` will not be read again: its pages may leave our resident set.
  void done_until(std::size_t offset);

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t released_ = 0;
};

}  // namespace antifreeze::journal
