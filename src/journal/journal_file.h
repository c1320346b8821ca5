// One file of the systemd journal, read as its documentation describes it (systemd's JOURNAL_FILE_FORMAT), without
// trusting a byte of it: what a power cut left behind is read as far as it makes sense.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "journal/mapped_file.h"

namespace antifreeze::journal {

/// 16 bytes as they lie in the file.
struct Id128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Id128&, const Id128&) = default;
  friend auto operator<=>(const Id128&, const Id128&) = default;
  /// 32 lower-case hex digits.
  [[nodiscard]] std::string text() const;
};

/// An ENTRY object.
struct EntryHead {
  std::uint64_t offset = 0;  ///< of the object in the file
  std::uint64_t size = 0;
  std::uint64_t seqnum = 0;
  std::uint64_t realtime_us = 0;
  std::uint64_t monotonic_us = 0;
  Id128 boot_id;

  /// Where the next object begins: objects are aligned to 8 bytes.
  [[nodiscard]] std::uint64_t end() const { return offset + ((size + 7) & ~std::uint64_t{7}); }
};

class JournalFile {
 public:
  /// A file without the journal's signature is kInvalid; one with features that we do not know is kUnsupported.
  static core::Result<JournalFile> open(const std::string& path);
  /// The same on bytes that the caller keeps alive: for tests and fuzzing.
  static core::Result<JournalFile> from_bytes(std::string_view bytes, std::string path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  /// What sequence numbers count in: files with the same id share one count.
  [[nodiscard]] Id128 seqnum_id() const { return seqnum_id_; }
  [[nodiscard]] std::uint64_t first_offset() const { return header_size_; }

  /// The next ENTRY object at or behind `offset`, an object's start; nullopt at the end. A stretch that makes no sense
  /// is skipped to the next entry that the file's own index names and that does; `skipped` counts the bytes.
  [[nodiscard]] std::optional<EntryHead> next_entry(std::uint64_t offset, std::uint64_t& skipped) const;

  /// "NAME=value" of each of the entry's fields, unpacked where it was compressed (into `scratch`, valid until the
  /// next call of `visit` returns). Fields that cannot be read are left out.
  void for_each_field(const EntryHead& entry, std::string& scratch,
                      const std::function<void(std::string_view)>& visit) const;

  /// Pages before `offset` are not needed soon.
  void done_until(std::uint64_t offset) { map_.done_until(offset); }

 private:
  struct Object {
    std::uint8_t type = 0;
    std::uint8_t flags = 0;
    std::uint64_t size = 0;
  };
  [[nodiscard]] std::optional<Object> object_at(std::uint64_t offset) const;
  [[nodiscard]] std::optional<EntryHead> entry_at(std::uint64_t offset) const;
  [[nodiscard]] std::optional<EntryHead> resume_after(std::uint64_t offset) const;

  MappedFile map_;
  std::string_view bytes_;
  std::string path_;
  std::uint64_t header_size_ = 0;
  bool compact_ = false;
  Id128 seqnum_id_;
};

}  // namespace antifreeze::journal
