// CRC32C (Castagnoli), as every record that we write carries.
#pragma once

#include <cstdint>
#include <string_view>

namespace antifreeze::core {

/// CRC32C of `data`; feed an earlier result as `seed` to go on. crc32c("123456789") is 0xe3069283 (RFC 3720, B.4).
std::uint32_t crc32c(std::string_view data, std::uint32_t seed = 0);

}  // namespace antifreeze::core
