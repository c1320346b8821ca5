#include "readings/file_locks.h"

#include <limits>

#include "core/text.h"

namespace antifreeze::readings {
namespace {

template <typename T>
bool take_uint(std::string_view text, int base, T& out) {
  const auto value = core::parse_uint(text, base);
  if (!value || *value > std::numeric_limits<T>::max()) return false;
  out = static_cast<T>(*value);
  return true;
}

// "fe:00:10952872": device in hex, inode in decimal.
bool take_file(std::string_view text, FileLock& out) {
  const auto parts = core::split(text, ':');
  return parts.size() == 3 && take_uint(parts[0], 16, out.dev_major) && take_uint(parts[1], 16, out.dev_minor) &&
         take_uint(parts[2], 10, out.inode);
}

// "1: OFDLCK ADVISORY  WRITE -1 fe:00:10952872 0 EOF", with "->" behind the number for one that waits.
std::optional<FileLock> parse_lock(std::string_view text) {
  auto words = core::split_words(core::trim(text));
  if (words.size() < 2 || !words[0].ends_with(":")) return std::nullopt;
  FileLock out;
  out.blocked = words[1] == "->";
  if (out.blocked) words.erase(words.begin() + 1);
  if (words.size() != 8) return std::nullopt;
  out.type = words[1];
  out.write = words[3] == "WRITE";
  const auto pid = core::parse_int(words[4]);
  if (!pid || !take_file(words[5], out) || !take_uint(words[6], 10, out.start)) return std::nullopt;
  out.pid = *pid;
  if (words[7] != "EOF") {
    out.end = core::parse_uint(words[7]);
    if (!out.end) return std::nullopt;
  }
  return out;
}

}  // namespace

std::vector<FileLock> parse_fdinfo_locks(std::string_view text) {
  constexpr std::string_view kPrefix = "lock:";
  std::vector<FileLock> out;
  while (const auto line = core::next_line(text)) {
    if (!line->starts_with(kPrefix)) continue;
    if (auto lock = parse_lock(line->substr(kPrefix.size()))) out.push_back(std::move(*lock));
  }
  return out;
}

std::vector<FileLock> parse_proc_locks(std::string_view text) {
  std::vector<FileLock> out;
  while (const auto line = core::next_line(text)) {
    if (auto lock = parse_lock(*line)) out.push_back(std::move(*lock));
  }
  return out;
}

}  // namespace antifreeze::readings
