// A command line: words apart by LF. What stands behind "--" must come out untouched.
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/options.h"
#include "core/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antifreeze::core;
  static constexpr std::array<OptionSpec, 3> kSpecs{{{"name", "NAME", "", "a name"},
                                                     {"start-timeout", "DURATION", "15m", "a time"},
                                                     {"always", "", "", "a switch", 'a'}}};
  const auto words = split(std::string_view(reinterpret_cast<const char*>(data), size), '\n');
  const auto parsed = parse_options(kSpecs, words);
  if (!parsed) {
    if (parsed.error().message().empty()) std::abort();
    return 0;
  }
  const auto& operands = parsed->operands;
  if (operands.size() > words.size()) std::abort();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] != words[words.size() - operands.size() + i]) std::abort();
  }
  return 0;
}
