// Logs as people export and paste them: lines in, entries out, whatever wrote the lines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "readings/log_entry.h"

namespace antifreeze::readings {

/// Reads dmesg (seconds, deltas, local times, callers), /dev/kmsg, journalctl (short, ISO, monotonic), syslog in
/// several languages, and text without stamps. Colours, CR, NUL runs, quoting and line numbers of editors are taken
/// off; a line that mail or a forum broke is put together again. Memory is bounded: of a line more than 64 KiB is left
/// out.
class LogTextReader {
 public:
  struct Events {
    std::function<void(const LogEntry&)> entry;
    /// "-- Boot ID --", "-- Reboot --", or the kernel's first line: what follows is another boot. The id may be empty.
    std::function<void(std::string_view boot_id)> boot;
  };

  /// `year` counts for stamps without one (a December before a January is then the year before).
  LogTextReader(int year, Events events) : year_(year), events_(std::move(events)) {}

  /// The next bytes, cut anywhere.
  void feed(std::string_view bytes);
  /// The last line need not end with LF.
  void finish();

  /// For a caller that leaves lines out: hands over what waits for a possible second half. Only between lines.
  void flush() { hand_over(); }
  /// Whether the last line may have been broken: the next one is needed then.
  [[nodiscard]] bool expects_second_half() const;
  /// Counts lines that the caller left out.
  void skip(std::uint64_t lines) { lines_ += lines; }
  /// Whether stamps say only how long after the line before: then none can be left out.
  [[nodiscard]] bool needs_every_line() const { return has_deltas_; }
  /// A line that was left out, read as if it stood where the reader is now; its boundaries do not count.
  void read_apart(std::string_view line, const std::function<void(const LogEntry&)>& entry) const;

  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  /// Whether the text ends in NUL bytes: data that never reached the disk.
  [[nodiscard]] bool ends_in_nul() const { return nul_tail_; }

 private:
  struct Parsed {
    std::optional<core::WallTime> wall;
    std::optional<core::MonoTime> mono;
    std::optional<int> priority;
    LogOrigin origin = LogOrigin::kUnknown;
    std::string identifier;
    std::string message;
    std::uint64_t line_number = 0;
    bool stamped = false;
  };

  void take_line(std::string_view line);
  bool parse_stamp(std::string_view& rest, Parsed& out);
  bool parse_bracket(std::string_view& rest, Parsed& out);
  bool parse_calendar(std::string_view& rest, Parsed& out);
  void parse_sender(std::string_view& rest, Parsed& out);
  bool begins_boot();
  void hand_over();

  int year_;
  Events events_;
  std::string partial_;    // a line whose end has not come yet
  bool dropping_ = false;  // that line is too long: its rest is left out
  Parsed pending_;         // waits for a possible second half
  bool has_pending_ = false;
  bool any_stamp_ = false;
  bool has_deltas_ = false;
  bool nul_tail_ = false;
  std::string host_;  // as lines say it that surely have one
  int last_month_ = 0;
  std::optional<core::MonoTime> last_mono_;
  std::optional<core::WallTime> last_wall_;
  std::uint64_t lines_ = 0;
  std::uint64_t in_boot_ = 0;  // entries since the last boundary
  bool named_cpu_ = false;     // the entry before was an arm64 kernel's first
};

/// RE2 pattern of the lines that a LogTextReader has to see whatever is left out: boundaries between boots, the first
/// halves of lines that may be broken, and what hides text from a plain search (colours, NUL).
inline constexpr std::string_view kStructuralLines =
    R"(\x00|\x1b|Booting Linux on |Linux version |-- (?:Reboot|Boot |Logs begin|Journal begins)|NVRM: |Xid \()";

}  // namespace antifreeze::readings
