#include "readings/crash_dump.h"

#include <algorithm>
#include <deque>

#include "core/text.h"

namespace antifreeze::readings {
namespace {

constexpr std::size_t kMaxLines = 600;
constexpr std::size_t kMaxLine = 400;

CrashDump::Why reason(std::string_view word) {
  if (word == "Panic") return CrashDump::Why::kPanic;
  if (word == "Oops") return CrashDump::Why::kOops;
  if (word == "Emergency") return CrashDump::Why::kEmergency;
  if (word == "Shutdown" || word == "Restart" || word == "Halt" || word == "Poweroff") return CrashDump::Why::kShutdown;
  return CrashDump::Why::kUnknown;
}

// "Panic#2 Part1", as fs/pstore/platform.c writes it.
bool header(std::string_view line, CrashDump& dump) {
  const std::size_t hash = line.find('#');
  const std::size_t part = line.find(" Part");
  if (hash == std::string_view::npos || part == std::string_view::npos || part < hash) return false;
  const auto why = reason(line.substr(0, hash));
  const auto number = core::parse_int(core::trim(line.substr(part + 5)));
  if (why == CrashDump::Why::kUnknown || !number) return false;
  // A dump may hold several parts; a panic among them decides.
  if (dump.why != CrashDump::Why::kPanic) dump.why = why;
  dump.part = static_cast<int>(std::clamp<std::int64_t>(*number, 0, 9999));
  return true;
}

}  // namespace

std::string_view without_stamp(std::string_view line) {
  std::string_view rest = line;
  if (rest.size() > 2 && rest.front() == '<') {  // "<4>": the level, in front of the stamp
    const std::size_t end = rest.find('>');
    if (end != std::string_view::npos && end <= 4) rest.remove_prefix(end + 1);
  }
  for (int brackets = 0; brackets < 2 && rest.starts_with('['); ++brackets) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos || end > 24) break;
    const std::string_view inside = core::trim(rest.substr(1, end - 1));
    const bool stamp = !inside.empty() && inside.find_first_not_of("0123456789. ") == std::string_view::npos;
    const bool caller = inside.size() > 1 && (inside[0] == 'T' || inside[0] == 'C') &&
                        inside.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (!stamp && !caller) break;
    rest.remove_prefix(end + 1);
    if (rest.starts_with(' ')) rest.remove_prefix(1);
  }
  return rest;
}

CrashDump parse_crash_dump(std::string_view content) {
  CrashDump dump;
  std::deque<std::string> lines;
  while (auto line = core::next_line(content)) {
    if (line->size() < 40 && header(*line, dump)) continue;
    if (line->empty()) continue;
    lines.push_back(core::printable(without_stamp(line->substr(0, kMaxLine + 40)), kMaxLine));
    if (lines.size() > kMaxLines) lines.pop_front();
  }
  const bool panicked = std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("Kernel panic - not syncing");
  });
  if (panicked) dump.why = CrashDump::Why::kPanic;
  dump.lines.assign(std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
  return dump;
}

}  // namespace antifreeze::readings
