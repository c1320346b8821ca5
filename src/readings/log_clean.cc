#include "readings/log_clean.h"

#include <algorithm>

#include "core/text.h"

namespace antifreeze::readings {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Colours (CSI … letter) and titles (OSC … BEL) are dropped, NULs too.
void strip_controls(std::string_view line, std::string& out) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\0' || c == '\r') continue;
    if (c != '\x1b') {
      out += c;
      continue;
    }
    if (i + 1 >= line.size()) break;
    if (line[i + 1] == '[') {
      i += 2;
      while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
    } else if (line[i + 1] == ']') {
      i += 2;
      while (i < line.size() && line[i] != '\a' && line[i] != '\x1b') ++i;
    } else {
      ++i;
    }
  }
}

// "   123  [   12.3] …" or "123:[ 12.3]": a number that is not part of the line, in front of something that is a stamp.
std::string_view without_line_number(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  const std::size_t start = at;
  while (at < line.size() && is_digit(line[at])) ++at;
  if (at == start || at - start > 7) return line;
  std::size_t after = at;
  while (after < line.size() && (line[after] == ' ' || line[after] == '\t' || line[after] == ':' || line[after] == '|'))
    ++after;
  if (after == at || after >= line.size()) return line;
  const std::string_view rest = line.substr(after);
  const bool bracket = rest[0] == '[' && rest.size() > 3 && (rest[1] == ' ' || is_digit(rest[1]));
  const bool iso = rest.size() > 19 && is_digit(rest[0]) && rest[4] == '-' && rest[7] == '-';
  const bool month = rest.size() > 15 && rest[3] == ' ' && (rest[6] == ' ' || rest[5] == ' ') && rest.find(':') < 12;
  return bracket || iso || month ? rest : line;
}

}  // namespace

std::string_view clean_log_line(std::string_view line, std::string& buffer) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find('\x1b') != std::string_view::npos || line.find('\0') != std::string_view::npos ||
      line.find('\r') != std::string_view::npos) {
    buffer.clear();
    strip_controls(line, buffer);
    line = buffer;
  }
  while (line.starts_with("> ") || line.starts_with(">>")) line.remove_prefix(line.starts_with("> ") ? 2 : 1);
  line = without_line_number(line);
  while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  return line;
}

bool is_boot_separator(std::string_view line, std::string_view& boot_id) {
  boot_id = {};
  if (!line.starts_with("-- ")) return false;
  if (line.starts_with("-- Reboot --") || line.starts_with("-- Logs begin") || line.starts_with("-- Journal begins"))
    return true;
  if (!line.starts_with("-- Boot ") || line.size() < 40) return false;
  const std::string_view id = line.substr(8, 32);
  if (id.find_first_not_of("0123456789abcdef") != std::string_view::npos) return false;
  boot_id = id;
  return true;
}

bool may_be_broken(std::string_view line) {
  return line.find("NVRM: ") != std::string_view::npos || line.find("Xid (") != std::string_view::npos;
}

bool continues_line(std::string_view before, std::string_view line) {
  line = core::trim(line);
  if (!may_be_broken(before)) return false;
  return line.starts_with("(0x") || line.starts_with("returned from") || before.ends_with(',') || before.ends_with('(');
}

}  // namespace antifreeze::readings
