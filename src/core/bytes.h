// Numbers out of raw bytes.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace antifreeze::core {

/// The number at `offset`, which must lie within `bytes` whole. Files that we read this way are little-endian, as are
/// both architectures that we build for.
template <typename Number>
Number load_number(std::string_view bytes, std::size_t offset) {
  Number value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace antifreeze::core
