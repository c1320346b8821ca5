// One entry of a log, whatever it was read from: the journal, a text log, pstore, a crash dump.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/time.h"

namespace antifreeze::readings {

/// Who wrote an entry. Decides whether a kernel's sign may be believed: "Kernel panic" in a shell's line is a word.
enum class LogOrigin : std::uint8_t {
  kUnknown,   ///< a line without a source: pasted text
  kKernel,    ///< _TRANSPORT=kernel, "kernel:", dmesg
  kJournald,  ///< journald about itself
  kInit,      ///< PID 1
  kService,   ///< any other process
};

/// Views are valid only while the callback that was handed the entry runs.
struct LogEntry {
  std::optional<core::WallTime> wall;  ///< as stamped; may step
  std::optional<core::MonoTime> mono;  ///< since the boot's start
  std::optional<int> priority;         ///< syslog level, 0 (emergency) to 7 (debug)
  LogOrigin origin = LogOrigin::kUnknown;
  std::string_view identifier;    ///< SYSLOG_IDENTIFIER or the program's name; "kernel" for the kernel
  std::string_view host = {};     ///< whose log it is, empty when not said
  std::string_view unit;          ///< systemd unit or container name, empty when not known
  std::string_view message;       ///< without stamp, colours, CR and continuation breaks; may hold any byte
  std::uint64_t line_number = 0;  ///< in a text log, from 1; 0 in a journal
};

}  // namespace antifreeze::readings
