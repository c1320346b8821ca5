#include "readings/wtmp.h"

#include "core/bytes.h"
#include "core/text.h"

namespace antifreeze::readings {
namespace {

// Offsets in struct utmp.
constexpr std::size_t kRecord = 384;
constexpr std::size_t kLine = 8;
constexpr std::size_t kUser = 44;
constexpr std::size_t kHost = 76;
constexpr std::size_t kSeconds = 340;
constexpr std::size_t kMicroseconds = 344;
constexpr std::size_t kMaxRecords = 20'000;

std::string text(std::string_view record, std::size_t offset, std::size_t size) {
  std::string_view raw = record.substr(offset, size);
  raw = raw.substr(0, raw.find('\0'));
  return core::printable(raw, 64);
}

}  // namespace

std::vector<WtmpRecord> parse_wtmp(std::string_view bytes) {
  std::vector<WtmpRecord> out;
  if (bytes.size() / kRecord > kMaxRecords) bytes.remove_prefix((bytes.size() / kRecord - kMaxRecords) * kRecord);
  for (; bytes.size() >= kRecord; bytes.remove_prefix(kRecord)) {
    const std::string_view record = bytes.substr(0, kRecord);
    WtmpRecord one;
    const auto seconds = core::load_number<std::uint32_t>(record, kSeconds);
    const auto micro = core::load_number<std::int32_t>(record, kMicroseconds);
    if (seconds == 0) continue;
    one.wall = {(std::int64_t{seconds} * 1'000'000 + (micro >= 0 && micro < 1'000'000 ? micro : 0)) * 1000};
    const std::string user = text(record, kUser, 32);
    switch (core::load_number<std::int16_t>(record, 0)) {
      case 1:  // RUN_LVL: "shutdown" is systemd-update-utmp's word for an orderly end
        if (user != "shutdown") continue;
        one.kind = WtmpRecord::Kind::kShutdown;
        break;
      case 2:
        one.kind = WtmpRecord::Kind::kBoot;
        one.detail = text(record, kHost, 256);
        break;
      case 3:
        one.kind = WtmpRecord::Kind::kClockNew;
        break;
      case 4:
        one.kind = WtmpRecord::Kind::kClockOld;
        break;
      case 7:
        one.kind = WtmpRecord::Kind::kLogin;
        one.detail = user + " " + text(record, kLine, 32);
        break;
      case 8:
        one.kind = WtmpRecord::Kind::kLogout;
        one.detail = text(record, kLine, 32);
        break;
      default:
        continue;
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace antifreeze::readings
