// knowledge/*.toml: a mistake is one line with file, line and column, never a crash.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "signs/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antifreeze::signs;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto parse : {parse_signs, parse_xids, parse_fixes, parse_terms}) {
    Catalogue into;
    const auto done = parse(text, "k.toml", into);
    if (!done && !done.error().message().starts_with("k.toml:")) std::abort();
    if (!done && done.error().message().find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
