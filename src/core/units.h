// Bytes: parsing what people write, printing what people read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace antifreeze::core {

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;

/// Reads "8GiB", "512MiB", "4KiB", "100B", "1.5GiB", also "8G"/"512M"/"4K" (binary, as systemd and Docker mean them).
Result<std::uint64_t> parse_bytes(std::string_view text);

/// "12.3 GiB", "512 MiB", "4 KiB", "17 B": one decimal above a MiB when it says something.
std::string format_bytes(std::uint64_t bytes);
/// The same with a sign in front, for differences.
std::string format_bytes_delta(std::int64_t bytes);

}  // namespace antifreeze::core
