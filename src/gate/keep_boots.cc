#include "gate/keep_boots.h"

#include <algorithm>

#include "core/crc32c.h"
#include "core/text.h"
#include "host/dir.h"

namespace antifreeze::gate {
namespace {

/// 32 lines of less than 128 bytes, and room for a newer version's fields.
constexpr std::size_t kMaxBytes = 64 * 1024;
constexpr std::size_t kSumDigits = 8;

std::string body_of(const BootEntry& boot) {
  return core::printable(boot.boot_id, 64) + " " + std::to_string(std::max<std::int64_t>(boot.started.ns, 0)) +
         (boot.ended_clean ? " clean" : " unclean") + (boot.acknowledged ? " acknowledged" : " -");
}

std::optional<BootEntry> entry_of(std::string_view line) {
  const auto words = core::split_words(line);
  if (words.size() < 5 || words.back().size() != kSumDigits) return std::nullopt;
  const auto body = line.substr(0, line.size() - kSumDigits - 1);
  const auto started = core::parse_int(words[1]);
  if (words.back() != core::to_hex(core::crc32c(body), kSumDigits) || !started || *started < 0) return std::nullopt;
  return BootEntry{std::string(words[0]), {*started}, words[2] == "clean", words[3] == "acknowledged"};
}

void drop_oldest(std::vector<BootEntry>& boots) {
  if (boots.size() > kMaxBootsKept) boots.erase(boots.begin(), boots.end() - kMaxBootsKept);
}

}  // namespace

std::string encode_boots(const std::vector<BootEntry>& boots) {
  std::string out;
  for (const auto& boot : boots) {
    const auto body = body_of(boot);
    out += body + " " + core::to_hex(core::crc32c(body), kSumDigits) + "\n";
  }
  return out;
}

BootList decode_boots(std::string_view file) {
  BootList list;
  while (const auto line = core::next_line(file)) {
    if (auto boot = entry_of(*line)) {
      list.boots.push_back(std::move(*boot));
    } else {
      ++list.damaged;
    }
  }
  drop_oldest(list.boots);
  return list;
}

void note_boot(std::vector<BootEntry>& boots, std::string_view boot_id, core::WallTime now) {
  if (!boots.empty() && boots.back().boot_id == boot_id) {
    boots.back().ended_clean = false;
    return;
  }
  boots.push_back({std::string(boot_id), now, false, false});
  drop_oldest(boots);
}

core::Result<BootList> read_boots(int state_fd) {
  const auto content = host::read_file_at(state_fd, std::string(kBootsFile), kMaxBytes);
  if (content) return decode_boots(*content);
  if (content.error().code() == core::ErrorCode::kNotFound) return BootList{};
  return core::Error(content.error()).with_context("reading the list of boots");
}

core::Status write_boots(int state_fd, const std::vector<BootEntry>& boots) {
  return host::write_file_atomic(state_fd, std::string(kBootsFile), encode_boots(boots), 0644, true);
}

}  // namespace antifreeze::gate
