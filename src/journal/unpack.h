// Compressed fields of the journal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace antifreeze::journal {

/// No field is unpacked further than this: a message of which more would matter does not exist, a bomb does.
inline constexpr std::size_t kMaxUnpacked = 64 * 1024;

/// Unpacks the beginning of `packed` into `out`, at most kMaxUnpacked bytes. `flags` is the object's: 1 XZ, 2 LZ4,
/// 4 ZSTD. False when nothing came out.
bool unpack(std::uint8_t flags, std::string_view packed, std::string& out);

}  // namespace antifreeze::journal
