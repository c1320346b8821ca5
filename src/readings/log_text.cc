#include "readings/log_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.h"
#include "readings/date.h"
#include "readings/log_clean.h"

namespace antifreeze::readings {
namespace {

constexpr std::size_t kMaxLine = 64 * 1024;
constexpr std::size_t kMaxJoined = 2048;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  return count;
}

// "hh:mm:ss" with an optional fraction; takes it off.
bool take_clock(std::string_view& rest, int& hour, int& minute, int& second, std::int64_t& nanoseconds) {
  if (rest.size() < 8 || rest[2] != ':' || rest[5] != ':') return false;
  for (const std::size_t at : {0, 1, 3, 4, 6, 7}) {
    if (!is_digit(rest[at])) return false;
  }
  hour = (rest[0] - '0') * 10 + (rest[1] - '0');
  minute = (rest[3] - '0') * 10 + (rest[4] - '0');
  second = (rest[6] - '0') * 10 + (rest[7] - '0');
  rest.remove_prefix(8);
  nanoseconds = 0;
  if (rest.size() > 1 && (rest[0] == '.' || rest[0] == ',') && is_digit(rest[1])) {
    std::int64_t unit = 100'000'000;
    for (rest.remove_prefix(1); !rest.empty() && is_digit(rest[0]); rest.remove_prefix(1), unit /= 10) {
      nanoseconds += (rest[0] - '0') * unit;
    }
  }
  return true;
}

std::string_view take_word(std::string_view& rest) {
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

constexpr std::array<std::string_view, 8> kLevels = {"emerg", "alert",  "crit", "err",
                                                     "warn",  "notice", "info", "debug"};
constexpr std::array<std::string_view, 12> kFacilities = {"kern", "user", "mail", "daemon", "auth",     "syslog",
                                                          "lpr",  "news", "uucp", "cron",   "authpriv", "ftp"};

// "kern  :warn  : " of dmesg -x, "<4>" of raw logs.
void take_level(std::string_view& rest, std::optional<int>& priority, bool& kernel) {
  if (rest.size() > 2 && rest[0] == '<') {
    const std::size_t count = digits_at(rest.substr(1));
    if (count > 0 && count <= 3 && rest.size() > count + 1 && rest[count + 1] == '>') {
      priority = static_cast<int>(*core::parse_int(rest.substr(1, count))) % 8;
      rest.remove_prefix(count + 2);
    }
    return;
  }
  for (const std::string_view facility : kFacilities) {
    if (!rest.starts_with(facility)) continue;
    std::string_view after = rest.substr(facility.size());
    while (after.starts_with(' ')) after.remove_prefix(1);
    if (!after.starts_with(':')) continue;
    after.remove_prefix(1);
    for (std::size_t level = 0; level < kLevels.size(); ++level) {
      if (!after.starts_with(kLevels[level])) continue;
      after.remove_prefix(kLevels[level].size());
      while (after.starts_with(' ')) after.remove_prefix(1);
      if (!after.starts_with(':')) break;
      after.remove_prefix(1);
      if (after.starts_with(' ')) after.remove_prefix(1);
      priority = static_cast<int>(level);
      kernel = facility == "kern";
      rest = after;
      return;
    }
  }
}

std::optional<core::MonoTime> seconds(std::string_view text) {
  text = core::trim(text);
  const std::size_t point = text.find('.');
  const auto whole = core::parse_int(text.substr(0, point));
  if (!whole || *whole < 0 || *whole > 10'000'000'000) return std::nullopt;
  std::int64_t ns = *whole * 1'000'000'000;
  if (point != std::string_view::npos) {
    std::int64_t unit = 100'000'000;
    for (const char c : text.substr(point + 1)) {
      if (!is_digit(c)) return std::nullopt;
      ns += (c - '0') * unit;
      unit /= 10;
    }
  }
  return core::MonoTime{ns};
}

}  // namespace

void LogTextReader::feed(std::string_view bytes) {
  if (!bytes.empty()) nul_tail_ = bytes.back() == '\0';
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (end == std::string_view::npos) {
      if (!dropping_) partial_.append(piece.substr(0, kMaxLine - std::min(kMaxLine, partial_.size())));
      dropping_ = partial_.size() >= kMaxLine;
      return;
    }
    bytes.remove_prefix(end + 1);
    if (partial_.empty()) {
      take_line(piece.substr(0, kMaxLine));
    } else {
      partial_.append(piece.substr(0, kMaxLine - std::min(kMaxLine, partial_.size())));
      const std::string line = std::move(partial_);
      partial_.clear();
      dropping_ = false;
      take_line(line);
    }
  }
}

void LogTextReader::finish() {
  if (!partial_.empty()) {
    const std::string line = std::move(partial_);
    partial_.clear();
    take_line(line);
  }
  hand_over();
}

// [12.345678], [  +0.000049], [Mon Nov 30 20:21:07 2026], then perhaps [T31].
bool LogTextReader::parse_bracket(std::string_view& rest, Parsed& out) {
  const std::size_t end = rest.find(']');
  if (!rest.starts_with('[') || end == std::string_view::npos || end > 40) return false;
  std::string_view inside = core::trim(rest.substr(1, end - 1));
  if (inside.starts_with('+')) {
    has_deltas_ = true;
    const auto delta = seconds(inside.substr(1));
    if (!delta) return false;
    // A delta needs something to stand on; the first stamp of such a log usually has its whole date.
    if (last_wall_) {
      out.wall = *last_wall_ + core::Nanos(delta->ns);
    } else {
      out.mono = core::MonoTime{last_mono_.value_or(core::MonoTime{0}).ns + delta->ns};
    }
  } else if (!inside.empty() && is_digit(inside[0])) {
    const auto time = seconds(inside);
    if (!time || inside.find('.') == std::string_view::npos) return false;
    out.mono = time;
  } else {
    // Weekday, month, day, clock, year.
    std::string_view words = inside;
    const std::string_view first = take_word(words);
    std::string_view month_word = take_word(words);
    if (!month_number(month_word) && month_number(first)) {  // dmesg's delta start: [Nov30 20:21]
      return false;
    }
    const auto month = month_number(month_word);
    const std::string_view day = take_word(words);
    while (words.starts_with(' ')) words.remove_prefix(1);
    int hour = 0, minute = 0, second = 0;
    std::int64_t fraction = 0;
    const auto day_number = core::parse_int(day);
    if (!month || !day_number || !take_clock(words, hour, minute, second, fraction)) return false;
    const auto year = core::parse_int(core::trim(words));
    out.wall =
        make_time(static_cast<int>(year.value_or(year_)), *month, static_cast<int>(*day_number), hour, minute, second);
    if (!out.wall) return false;
  }
  rest.remove_prefix(end + 1);
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.starts_with('[')) {  // the caller: [   T31] or [    C2]
    const std::size_t close = rest.find(']');
    if (close != std::string_view::npos && close < 16) {
      const std::string_view caller = core::trim(rest.substr(1, close - 1));
      if (caller.size() > 1 && (caller[0] == 'T' || caller[0] == 'C') &&
          digits_at(caller.substr(1)) == caller.size() - 1) {
        rest.remove_prefix(close + 1);
        if (rest.starts_with(' ')) rest.remove_prefix(1);
      }
    }
  }
  return true;
}

// "2026-11-30T20:21:07,1+00:00", "Nov 30 20:21:07", "30 nov 20:21:07", "04 Aug, 14:03:32".
bool LogTextReader::parse_calendar(std::string_view& rest, Parsed& out) {
  if (rest.size() > 19 && is_digit(rest[0]) && rest[4] == '-') {
    std::string_view after = rest;
    std::string_view stamp = take_word(after);
    if (stamp.size() == 10) {  // a blank for the T
      const std::string_view clock = take_word(after);
      stamp = rest.substr(0, static_cast<std::size_t>(clock.end() - rest.begin()));
    }
    if (stamp.ends_with(':')) stamp.remove_suffix(1);
    const auto wall = parse_iso_time(stamp);
    if (!wall) return false;
    out.wall = wall;
    rest = after;
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    return true;
  }
  std::string_view words = rest;
  std::string_view first = take_word(words);
  std::string_view second_word = take_word(words);
  while (second_word.ends_with(',')) second_word.remove_suffix(1);
  auto month = month_number(first);
  auto day = core::parse_int(second_word);
  if (!month) {
    month = month_number(second_word);
    while (first.ends_with('.') || first.ends_with(',')) first.remove_suffix(1);
    day = core::parse_int(first);
  }
  if (!month || !day) return false;
  while (words.starts_with(' ')) words.remove_prefix(1);
  int year = year_;
  if (digits_at(words) == 4 && words.size() > 4 && words[4] == ' ') {
    year = static_cast<int>(*core::parse_int(words.substr(0, 4)));
    words.remove_prefix(5);
  } else if (last_month_ == 12 && *month < 3) {
    ++year_;  // the log went over New Year; the first year was a guess anyway
    year = year_;
  }
  int hour = 0, minute = 0, second = 0;
  std::int64_t fraction = 0;
  if (!take_clock(words, hour, minute, second, fraction)) return false;
  out.wall = make_time(year, *month, static_cast<int>(*day), hour, minute, second, fraction);
  if (!out.wall) return false;
  last_month_ = *month;
  rest = words;
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  return true;
}

// "host program[pid]: " or "program[pid]: ".
void LogTextReader::parse_sender(std::string_view& rest, Parsed& out) {
  const std::size_t colon = rest.find(": ");
  if (colon == std::string_view::npos || colon > 120) return;
  std::string_view head = rest.substr(0, colon);
  const std::size_t blank = head.rfind(' ');
  std::string_view program = blank == std::string_view::npos ? head : head.substr(blank + 1);
  if (blank != std::string_view::npos && head.substr(0, blank).find(' ') != std::string_view::npos)
    return;  // a sentence
  std::string_view pid;
  if (const std::size_t bracket = program.find('['); bracket != std::string_view::npos && program.ends_with(']')) {
    pid = program.substr(bracket + 1, program.size() - bracket - 2);
    program = program.substr(0, bracket);
  }
  const bool has_host = blank != std::string_view::npos;
  const std::string_view host = has_host ? head.substr(0, blank) : std::string_view();
  if (program.empty()) return;
  if (pid.empty() && program != "kernel" && (!has_host || host != host_)) {
    return;  // "nvme nvme0: …", "NVRM: …": the kernel's own way of speaking
  }
  if (has_host) host_ = host;
  rest.remove_prefix(colon + 2);
  out.identifier = core::printable(program, 64);
  if (program == "kernel") {
    out.origin = LogOrigin::kKernel;
    bool kernel = true;
    take_level(rest, out.priority, kernel);
  } else if (program == "systemd" && pid == "1") {
    out.origin = LogOrigin::kInit;
  } else if (program == "systemd-journald" || program == "systemd-journal") {
    out.origin = LogOrigin::kJournald;
  } else {
    out.origin = LogOrigin::kService;
  }
}

bool LogTextReader::parse_stamp(std::string_view& rest, Parsed& out) {
  // 6,339,5140900,-;message: /dev/kmsg
  if (const std::size_t count = digits_at(rest); count > 0 && count < 4 && rest.size() > count && rest[count] == ',') {
    const std::size_t end = rest.find(';');
    const auto parts = core::split(rest.substr(0, end == std::string_view::npos || end > 80 ? 0 : end), ',');
    if (parts.size() >= 4) {
      const auto priority = core::parse_int(parts[0]);
      const auto micro = core::parse_int(parts[2]);
      if (priority && micro && *micro >= 0 && *micro < std::int64_t{1} << 52) {
        out.priority = static_cast<int>(*priority % 8);
        out.mono = core::MonoTime{*micro * 1000};
        if (*priority < 8) {
          out.origin = LogOrigin::kKernel;
          out.identifier = "kernel";
        }
        rest.remove_prefix(end + 1);
        return true;
      }
    }
  }
  bool kernel = false;
  take_level(rest, out.priority, kernel);
  if (parse_bracket(rest, out)) {
    out.origin = LogOrigin::kKernel;
    out.identifier = "kernel";
    parse_sender(rest, out);
    return true;
  }
  if (!parse_calendar(rest, out)) return kernel;
  parse_sender(rest, out);
  if (out.identifier.empty() && kernel) {
    out.origin = LogOrigin::kKernel;
    out.identifier = "kernel";
  }
  if (out.origin == LogOrigin::kKernel) {
    Parsed inner;
    std::string_view message = rest;
    if (parse_bracket(message, inner)) {
      if (inner.mono) out.mono = inner.mono;
      rest = message;
    }
  }
  return true;
}

void LogTextReader::take_line(std::string_view line) {
  ++lines_;
  std::string cleaned;
  line = clean_log_line(line, cleaned);
  if (line.empty()) return;
  std::string_view boot_id;
  if (is_boot_separator(line, boot_id)) {
    hand_over();
    if (in_boot_ > 0 || !boot_id.empty()) events_.boot(boot_id);
    in_boot_ = 0;
    last_mono_.reset();
    return;
  }
  Parsed now;
  now.line_number = lines_;
  std::string_view rest = line;
  now.stamped = parse_stamp(rest, now);
  any_stamp_ = any_stamp_ || now.stamped;
  if (!now.stamped && any_stamp_ && has_pending_ && continues_line(pending_.message, rest)) {
    if (pending_.message.size() + rest.size() < kMaxJoined) pending_.message.append(" ").append(core::trim(rest));
    return;
  }
  hand_over();
  if (now.mono) last_mono_ = now.mono;
  if (now.wall) last_wall_ = now.wall;
  now.message.assign(rest);
  pending_ = std::move(now);
  has_pending_ = true;
}

bool LogTextReader::expects_second_half() const { return has_pending_ && may_be_broken(pending_.message); }

void LogTextReader::read_apart(std::string_view line, const std::function<void(const LogEntry&)>& entry) const {
  LogTextReader apart(*this);
  apart.events_ = {entry, [](std::string_view) {}};
  apart.partial_.clear();
  apart.has_pending_ = false;
  apart.take_line(line.substr(0, kMaxLine));
  apart.hand_over();
}

// arm64 says which CPU it boots on before it says its version; x86 begins with the version.
bool LogTextReader::begins_boot() {
  if (pending_.origin != LogOrigin::kKernel && pending_.origin != LogOrigin::kUnknown) return false;
  const bool names_cpu = pending_.message.starts_with("Booting Linux on physical CPU ");
  const bool has_named_cpu = std::exchange(named_cpu_, names_cpu);
  return names_cpu || (pending_.message.starts_with("Linux version ") && !has_named_cpu);
}

void LogTextReader::hand_over() {
  if (!has_pending_) return;
  has_pending_ = false;
  if (begins_boot()) {
    if (in_boot_ > 0) events_.boot("");
    in_boot_ = 0;
  }
  ++in_boot_;
  LogEntry entry;
  entry.wall = pending_.wall;
  entry.mono = pending_.mono;
  entry.priority = pending_.priority;
  entry.origin = pending_.origin;
  entry.identifier = pending_.identifier;
  entry.host = host_;
  entry.message = pending_.message;
  entry.line_number = pending_.line_number;
  events_.entry(entry);
}

}  // namespace antifreeze::readings
