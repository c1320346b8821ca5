#include "readings/proc_stat.h"

#include <vector>

#include "core/text.h"

namespace antifreeze::readings {
namespace {

// Position of a field in the words after the name; man 5 proc numbers them from 1 with the state as 3.
constexpr std::size_t at(std::size_t man_number) { return man_number - 3; }

template <typename T>
bool take(std::optional<T> value, T& out) {
  if (value) out = *value;
  return value.has_value();
}

}  // namespace

std::optional<ProcStat> parse_proc_stat(std::string_view text) {
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  ProcStat out;
  if (!take(core::parse_int(core::trim(text.substr(0, open))), out.pid) || out.pid <= 0) return std::nullopt;
  out.comm = text.substr(open + 1, close - open - 1);

  const auto words = core::split_words(core::trim(text.substr(close + 1)));
  if (words.size() <= at(24) || words[at(3)].size() != 1) return std::nullopt;
  out.state = words[at(3)][0];
  const bool whole =
      take(core::parse_int(words[at(4)]), out.ppid) && take(core::parse_int(words[at(5)]), out.pgrp) &&
      take(core::parse_int(words[at(6)]), out.session) && take(core::parse_uint(words[at(12)]), out.major_faults) &&
      take(core::parse_uint(words[at(14)]), out.utime_ticks) &&
      take(core::parse_uint(words[at(15)]), out.stime_ticks) && take(core::parse_uint(words[at(20)]), out.threads) &&
      take(core::parse_uint(words[at(22)]), out.starttime_ticks) &&
      take(core::parse_uint(words[at(24)]), out.rss_pages);
  if (!whole) return std::nullopt;
  return out;
}

std::optional<std::int64_t> innermost_pid(std::string_view status) {
  while (const auto line = core::next_line(status)) {
    if (!line->starts_with("NSpid:")) continue;
    const auto pids = core::split_words(line->substr(6));
    return pids.empty() ? std::nullopt : core::parse_int(pids.back());
  }
  return std::nullopt;
}

ProcIo parse_proc_io(std::string_view text) {
  ProcIo out;
  while (const auto line = core::next_line(text)) {
    const auto colon = line->find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line->substr(0, colon);
    const auto value = core::parse_uint(core::trim(line->substr(colon + 1)));
    if (name == "rchar") out.rchar = value;
    if (name == "wchar") out.wchar = value;
    if (name == "read_bytes") out.read_bytes = value;
    if (name == "write_bytes") out.write_bytes = value;
  }
  return out;
}

}  // namespace antifreeze::readings
