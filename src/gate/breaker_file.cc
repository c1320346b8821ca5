#include "gate/breaker_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/crc32c.h"
#include "core/text.h"
#include "gate/record_text.h"
#include "host/dir.h"

namespace antifreeze::gate {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::string_view kMagic = "antifreeze-breaker 1";
constexpr std::size_t kNameBytes = kBreakerNameBytes - kBreakerPrefix.size();
constexpr std::string_view kCutMark = "%%";
constexpr std::size_t kHashDigits = 8;
/// Services are named by people; a longer name is cut in the file (and told apart by the file name's checksum).
constexpr std::size_t kServiceBytes = 1024;
constexpr std::size_t kTextBytes = 512;
/// 73 years: sums and differences of two stamps cannot overflow.
constexpr std::int64_t kMaxBootNs = std::int64_t{1} << 61;
/// Year 2116.
constexpr std::int64_t kMaxWallNs = std::int64_t{1} << 62;

bool is_plain(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

bool is_hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

std::string escaped_byte(char c) { return "%" + core::to_hex(static_cast<unsigned char>(c), 2); }

/// Counters and bytes: adding to them, or a few of them to each other, cannot wrap around.
constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 58;

/// Out of range only by mischief: such a stamp is moved to the edge, so that what is written can be read again.
std::int64_t in_range(std::int64_t ns, std::int64_t low, std::int64_t high) { return std::clamp(ns, low, high); }

std::string stamp_text(const BreakerStamp& stamp) {
  return std::to_string(in_range(stamp.boottime.ns, -kMaxBootNs, kMaxBootNs)) + " " +
         std::to_string(in_range(stamp.wall.ns, 0, kMaxWallNs));
}

std::optional<BreakerStamp> stamp_of(std::string_view text) {
  const auto blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto boottime = core::parse_int(text.substr(0, blank));
  const auto wall = core::parse_int(text.substr(blank + 1));
  if (!boottime || *boottime < -kMaxBootNs || *boottime > kMaxBootNs) return std::nullopt;
  if (!wall || *wall < 0 || *wall > kMaxWallNs) return std::nullopt;
  return BreakerStamp{{*boottime}, {*wall}};
}

std::optional<std::uint64_t> count_of(std::string_view text) {
  const auto count = core::parse_uint(text);
  return count && *count <= kMaxCount ? count : std::nullopt;
}

template <typename T>
bool take(std::optional<T> parsed, T& into) {
  if (parsed) into = *parsed;
  return parsed.has_value();
}

BreakerHold& hold_of(BreakerRecord& record) { return record.hold ? *record.hold : record.hold.emplace(); }

/// The nested parts: each key but the first needs what the first one opened.
bool take_part(BreakerRecord& record, const RecordReader::Field& field) {
  if (field.key == "open") return take(stamp_of(field.value), record.open.emplace().start);
  if (field.key == "open_ready") {
    const auto ready = field.number(-kMaxBootNs, kMaxBootNs);
    if (!ready || !record.open) return false;
    record.open->ready = core::BootTime{*ready};
  }
  if (field.key == "held_since") return take(stamp_of(field.value), hold_of(record).since);
  if (field.key == "held_for") {
    const auto duration = field.number(0, kMaxBootNs);
    if (!duration || !record.hold) return false;
    record.hold->duration = core::Nanos(*duration);
  }
  if (field.key == "held_reason") {
    if (!record.hold) return false;
    record.hold->reason = field.text();
  }
  return true;
}

/// Puts one field into the record; false when the value makes no sense. Unknown keys are for newer programs.
bool take_field(BreakerRecord& record, const RecordReader::Field& field) {
  if (field.key == "service") record.service = field.text();
  if (field.key == "boot_id") record.boot_id = field.text();
  if (field.key == "last_failure") record.last_failure = field.text();
  if (field.key == "failures_in_a_row") return take(count_of(field.value), record.failures_in_a_row);
  if (field.key == "lost_in_a_row") return take(count_of(field.value), record.lost_in_a_row);
  if (field.key == "starts_total") return take(count_of(field.value), record.starts_total);
  if (field.key == "failures_total") return take(count_of(field.value), record.failures_total);
  if (field.key == "failure") {
    if (record.failures.size() >= kMaxFailuresKept) return false;
    return take(stamp_of(field.value), record.failures.emplace_back());
  }
  if (field.key == "memory_before") {
    if (record.memory_before.size() >= kMaxFailuresKept) return false;
    return take(count_of(field.value), record.memory_before.emplace_back());
  }
  return take_part(record, field);
}

}  // namespace

std::string breaker_file_name(std::string_view service) {
  std::string name;
  for (const char c : service) name += is_plain(c) ? std::string(1, c) : escaped_byte(c);
  if (name.size() > kNameBytes) {
    std::size_t keep = kNameBytes - kCutMark.size() - kHashDigits;
    // Not in the middle of an escape.
    if (const auto escape = name.rfind('%', keep - 1); escape != std::string::npos && escape + 3 > keep) keep = escape;
    name.resize(keep);
    name += std::string(kCutMark) + core::to_hex(core::crc32c(service), kHashDigits);
  }
  return std::string(kBreakerPrefix) + name;
}

bool is_breaker_file_name(std::string_view name) {
  if (!name.starts_with(kBreakerPrefix) || name.size() > kBreakerNameBytes) return false;
  name.remove_prefix(kBreakerPrefix.size());
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (is_plain(name[i])) continue;
    if (name[i] != '%') return false;
    const auto rest = name.substr(i + 1);
    if (rest.starts_with('%')) {
      return rest.size() == 1 + kHashDigits && std::ranges::all_of(rest.substr(1), is_hex_digit);
    }
    if (rest.size() < 2 || !is_hex_digit(rest[0]) || !is_hex_digit(rest[1])) return false;
    i += 2;
  }
  return true;
}

std::string encode_breaker(const BreakerRecord& record) {
  RecordWriter out(kMagic);
  out.add("service", record.service, kServiceBytes);
  out.add("boot_id", record.boot_id, 64);
  out.add("starts_total", std::min(record.starts_total, kMaxCount));
  out.add("failures_total", std::min(record.failures_total, kMaxCount));
  out.add("failures_in_a_row", std::min(record.failures_in_a_row, kMaxCount));
  out.add("lost_in_a_row", std::min(record.lost_in_a_row, kMaxCount));
  if (!record.last_failure.empty()) out.add("last_failure", record.last_failure, kTextBytes);
  const auto first = record.failures.size() - std::min(record.failures.size(), kMaxFailuresKept);
  for (std::size_t i = first; i < record.failures.size(); ++i) out.add("failure", stamp_text(record.failures[i]));
  if (record.open) {
    out.add("open", stamp_text(record.open->start));
    if (record.open->ready) out.add("open_ready", in_range(record.open->ready->ns, -kMaxBootNs, kMaxBootNs));
  }
  if (record.hold) {
    out.add("held_since", stamp_text(record.hold->since));
    if (record.hold->duration) out.add("held_for", in_range(record.hold->duration->count(), 0, kMaxBootNs));
    out.add("held_reason", record.hold->reason, kTextBytes);
  }
  const auto skip = record.memory_before.size() - std::min(record.memory_before.size(), kMaxFailuresKept);
  for (std::size_t i = skip; i < record.memory_before.size(); ++i)
    out.add("memory_before", std::min(record.memory_before[i], kMaxCount));
  return out.finish();
}

core::Result<BreakerRecord> decode_breaker(std::string_view file) {
  auto reader = RecordReader::open(file, kMagic, kBreakerFileBytes);
  if (!reader) return std::move(reader).error().with_context("not a breaker record");
  BreakerRecord record;
  while (const auto field = reader->next()) {
    if (!take_field(record, *field)) {
      return Error(ErrorCode::kTampered, "not a breaker record: bad value for " + core::printable(field->key, 32));
    }
  }
  return record;
}

core::Result<BreakerRecord> load_breaker(int dirfd, std::string_view service) {
  const std::string name = breaker_file_name(service);
  const auto content = host::read_file_at(dirfd, name, kBreakerFileBytes);
  BreakerRecord empty;
  empty.service = service;
  if (!content) {
    if (content.error().code() == ErrorCode::kNotFound) return empty;
    return Error(content.error()).with_context("reading the breaker of " + core::printable(service));
  }
  auto record = decode_breaker(*content);
  if (!record) return std::move(record).error().with_context(name);
  if (record->service != unescape_value(escape_value(service, kServiceBytes))) {
    return Error(ErrorCode::kTampered, name + ": belongs to another service, " + core::printable(record->service));
  }
  record->service = service;
  return record;
}

bool breaker_is_ours(int dirfd, std::string_view service) {
  struct stat file{};
  struct stat directory{};
  if (::fstatat(dirfd, breaker_file_name(service).c_str(), &file, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
  if (::fstat(dirfd, &directory) != 0) return false;
  return file.st_uid == ::geteuid() || file.st_uid == directory.st_uid;
}

core::Status store_breaker(int dirfd, const BreakerRecord& record, bool sync, bool keep_owner) {
  const std::string name = breaker_file_name(record.service);
  struct stat old{};
  const bool existed = ::fstatat(dirfd, name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  if (auto written = host::write_file_atomic(dirfd, name, encode_breaker(record), 0644, sync); !written) {
    return std::move(written).error().with_context("writing the breaker of " + core::printable(record.service));
  }
  if (keep_owner && existed && ::geteuid() == 0 && old.st_uid != 0 &&
      ::fchownat(dirfd, name.c_str(), old.st_uid, old.st_gid, AT_SYMLINK_NOFOLLOW) != 0) {
    return core::errno_error("giving " + name + " back to its owner", errno);
  }
  return {};
}

}  // namespace antifreeze::gate
