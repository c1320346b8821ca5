// /proc/PID/stat and /proc/PID/io: who a process is, and whether it makes progress.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace antifreeze::readings {

/// What we use of /proc/PID/stat. Ticks are USER_HZ clock ticks; `starttime_ticks` counts from boot and together with
/// `pid` names a process for as long as the boot lasts.
struct ProcStat {
  std::int64_t pid = 0;
  std::string comm;  ///< at most 15 bytes from the kernel, any bytes: print only through core::printable
  char state = '?';  ///< R, S, D, Z, T, t, X, I
  std::int64_t ppid = 0;
  std::int64_t pgrp = 0;
  std::int64_t session = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t utime_ticks = 0;
  std::uint64_t stime_ticks = 0;
  std::uint64_t threads = 0;
  std::uint64_t starttime_ticks = 0;
  std::uint64_t rss_pages = 0;
};

/// Reads /proc/PID/stat. The name may hold blanks, parentheses and line feeds: it ends at the *last* ')'. nullopt when
/// a field up to the resident size is missing or no number.
std::optional<ProcStat> parse_proc_stat(std::string_view text);

/// The process's pid in its own, innermost PID namespace, out of /proc/PID/status (NSpid, Linux 4.1 and later).
std::optional<std::int64_t> innermost_pid(std::string_view status);

/// /proc/PID/io, in bytes. Readable for our own uid only, hence each field on its own.
struct ProcIo {
  std::optional<std::uint64_t> rchar;        ///< read() and the like, page cache included
  std::optional<std::uint64_t> wchar;        ///< write() and the like
  std::optional<std::uint64_t> read_bytes;   ///< really fetched from storage
  std::optional<std::uint64_t> write_bytes;  ///< really sent to storage
};

/// Reads /proc/PID/io; unknown lines are skipped.
ProcIo parse_proc_io(std::string_view text);

}  // namespace antifreeze::readings
