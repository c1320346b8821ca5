// Kernel messages that outlived the kernel: pstore records, vmcore-dmesg files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace antifreeze::readings {

/// A record of pstore ("Panic#1 Part1", then messages), or the messages of a crash dump.
struct CrashDump {
  enum class Why : std::uint8_t { kUnknown, kPanic, kOops, kEmergency, kShutdown } why = Why::kUnknown;
  std::optional<int> part;
  std::vector<std::string> lines;  ///< without stamps, newest last; the last 600 at most, each at most 400 bytes
};

/// Reads one file. Compressed records (".enc.z") are not unpacked: `lines` is empty then.
CrashDump parse_crash_dump(std::string_view content);

/// A kernel message without its "[  12.345678]" and caller column; the same text if it has none.
std::string_view without_stamp(std::string_view line);

}  // namespace antifreeze::readings
