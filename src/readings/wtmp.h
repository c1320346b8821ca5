// Login accounting as glibc and login programs write it: who booted, who shut down, who was logged in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"

namespace antifreeze::readings {

/// One record of wtmp.
struct WtmpRecord {
  enum class Kind : std::uint8_t { kBoot, kShutdown, kLogin, kLogout, kClockOld, kClockNew } kind = Kind::kBoot;
  core::WallTime wall;
  std::string detail;  ///< kernel release for a boot, user and line for a login; printable
};

/// Records of 384 bytes (struct utmp is the same on amd64 and arm64: utmp(5), bits/utmp.h with 32-bit times). Unknown
/// types and a torn last record are left out; at most the newest 20,000 are kept.
std::vector<WtmpRecord> parse_wtmp(std::string_view bytes);

}  // namespace antifreeze::readings
