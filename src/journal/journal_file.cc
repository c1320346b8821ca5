#include "journal/journal_file.h"

#include <utility>

#include "core/bytes.h"
#include "core/text.h"
#include "journal/unpack.h"

namespace antifreeze::journal {
namespace {

using core::Error;
using core::ErrorCode;

// Offsets and values of systemd's src/libsystemd/sd-journal/journal-def.h.
constexpr std::string_view kSignature = "LPKSHHRH";
constexpr std::uint64_t kMinHeader = 208;
constexpr std::uint32_t kIncompatibleXz = 1;
constexpr std::uint32_t kIncompatibleLz4 = 2;
constexpr std::uint32_t kIncompatibleKeyedHash = 4;
constexpr std::uint32_t kIncompatibleZstd = 8;
constexpr std::uint32_t kIncompatibleCompact = 16;
constexpr std::uint32_t kKnown =
    kIncompatibleXz | kIncompatibleLz4 | kIncompatibleKeyedHash | kIncompatibleZstd | kIncompatibleCompact;
constexpr std::uint8_t kData = 1;
constexpr std::uint8_t kEntry = 3;
constexpr std::uint8_t kLastType = 7;
constexpr std::uint64_t kObjectHeader = 16;
constexpr std::uint64_t kEntryHeader = 64;
constexpr std::uint64_t kDataHeader = 64;
constexpr std::uint64_t kDataHeaderCompact = 72;
// What looks like an entry behind damage must also have a believable time: 2001 to 2200.
constexpr std::uint64_t kEarliestUs = 978'307'200'000'000;
constexpr std::uint64_t kLatestUs = 7'258'118'400'000'000;
constexpr std::size_t kMaxFields = 1024;  // journald's own limit of fields an entry

Id128 load_id(std::string_view bytes, std::uint64_t offset) {
  return {__builtin_bswap64(core::load_number<std::uint64_t>(bytes, offset)),
          __builtin_bswap64(core::load_number<std::uint64_t>(bytes, offset + 8))};
}

constexpr std::uint64_t aligned(std::uint64_t size) { return (size + 7) & ~std::uint64_t{7}; }

}  // namespace

std::string Id128::text() const { return core::to_hex(high, 16) + core::to_hex(low, 16); }

core::Result<JournalFile> JournalFile::open(const std::string& path) {
  auto map = MappedFile::open(path);
  if (!map) return std::move(map).error();
  auto file = from_bytes(map->bytes(), path);
  if (file) file->map_ = std::move(*map);
  return file;
}

core::Result<JournalFile> JournalFile::from_bytes(std::string_view bytes, std::string path) {
  JournalFile file;
  file.path_ = std::move(path);
  file.bytes_ = bytes;
  if (bytes.size() < kMinHeader || bytes.substr(0, kSignature.size()) != kSignature) {
    return Error(ErrorCode::kInvalid, file.path_ + ": not a journal file");
  }
  const auto incompatible = core::load_number<std::uint32_t>(bytes, 12);
  if ((incompatible & ~kKnown) != 0) {
    return Error(ErrorCode::kUnsupported, file.path_ + ": written by a newer journald than we know (feature flags 0x" +
                                              core::to_hex(incompatible, 8) + ")");
  }
  file.compact_ = (incompatible & kIncompatibleCompact) != 0;
  file.seqnum_id_ = load_id(bytes, 72);
  file.header_size_ = core::load_number<std::uint64_t>(bytes, 88);
  if (file.header_size_ < kMinHeader || file.header_size_ > bytes.size() || file.header_size_ % 8 != 0) {
    return Error(ErrorCode::kInvalid, file.path_ + ": a journal file whose header makes no sense");
  }
  return file;
}

std::optional<JournalFile::Object> JournalFile::object_at(std::uint64_t offset) const {
  if (offset % 8 != 0 || offset < header_size_ || offset > bytes_.size() || bytes_.size() - offset < kObjectHeader) {
    return std::nullopt;
  }
  Object object;
  object.type = static_cast<std::uint8_t>(bytes_[offset]);
  object.flags = static_cast<std::uint8_t>(bytes_[offset + 1]);
  object.size = core::load_number<std::uint64_t>(bytes_, offset + 8);
  if (object.type == 0 || object.type > kLastType) return std::nullopt;
  if (object.size < kObjectHeader || object.size > bytes_.size() - offset) return std::nullopt;
  return object;
}

std::optional<EntryHead> JournalFile::entry_at(std::uint64_t offset) const {
  const auto object = object_at(offset);
  if (!object || object->type != kEntry || object->size < kEntryHeader) return std::nullopt;
  EntryHead head;
  head.offset = offset;
  head.size = object->size;
  head.seqnum = core::load_number<std::uint64_t>(bytes_, offset + 16);
  head.realtime_us = core::load_number<std::uint64_t>(bytes_, offset + 24);
  head.monotonic_us = core::load_number<std::uint64_t>(bytes_, offset + 32);
  head.boot_id = load_id(bytes_, offset + 40);
  // An object that was allotted but whose content never reached the disk.
  if (head.seqnum == 0 || (head.boot_id.high == 0 && head.boot_id.low == 0)) return std::nullopt;
  return head;
}

std::optional<EntryHead> JournalFile::resume_after(std::uint64_t offset) const {
  const std::uint64_t width = compact_ ? 4 : 16;
  const std::uint64_t header = compact_ ? kDataHeaderCompact : kDataHeader;
  for (offset = aligned(offset + 1); offset + kEntryHeader <= bytes_.size(); offset += 8) {
    // Type ENTRY, no flags, nothing in the reserved bytes: the cheap test that zeros and text fail.
    if (core::load_number<std::uint64_t>(bytes_, offset) != kEntry) continue;
    const auto head = entry_at(offset);
    if (!head || head->size < kEntryHeader + width || (head->size - kEntryHeader) % width != 0) continue;
    if (head->realtime_us < kEarliestUs || head->realtime_us > kLatestUs) continue;
    const std::uint64_t first = compact_ ? core::load_number<std::uint32_t>(bytes_, offset + kEntryHeader)
                                         : core::load_number<std::uint64_t>(bytes_, offset + kEntryHeader);
    const auto field = object_at(first);
    if (field && field->type == kData && field->size > header) return head;
  }
  return std::nullopt;
}

std::optional<EntryHead> JournalFile::next_entry(std::uint64_t offset, std::uint64_t& skipped) const {
  while (offset < bytes_.size()) {
    const auto object = object_at(offset);
    if (!object) {
      auto head = resume_after(offset);
      // The zeros at the end of a live file are room for what comes, not damage.
      if (head) skipped += head->offset - offset;
      return head;
    }
    if (object->type == kEntry) {
      if (auto head = entry_at(offset)) return head;
      skipped += object->size;
    }
    offset += aligned(object->size);
  }
  return std::nullopt;
}

void JournalFile::for_each_field(const EntryHead& entry, std::string& scratch,
                                 const std::function<void(std::string_view)>& visit) const {
  const std::uint64_t width = compact_ ? 4 : 16;
  const std::uint64_t header = compact_ ? kDataHeaderCompact : kDataHeader;
  std::size_t fields = 0;
  for (std::uint64_t at = entry.offset + kEntryHeader; at + width <= entry.offset + entry.size; at += width) {
    if (++fields > kMaxFields) return;
    const std::uint64_t offset =
        compact_ ? core::load_number<std::uint32_t>(bytes_, at) : core::load_number<std::uint64_t>(bytes_, at);
    const auto object = object_at(offset);
    if (!object || object->type != kData || object->size <= header) continue;
    const std::string_view payload = bytes_.substr(offset + header, object->size - header);
    if (object->flags == 0) {
      visit(payload);
    } else if (unpack(object->flags, payload, scratch)) {
      visit(scratch);
    }
  }
}

}  // namespace antifreeze::journal
