// Sizes that people write.
#include <cstdlib>
#include <string_view>

#include "core/units.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antifreeze::core;
  const auto bytes = parse_bytes(std::string_view(reinterpret_cast<const char*>(data), size));
  if (bytes && format_bytes(*bytes).empty()) std::abort();
  return 0;
}
