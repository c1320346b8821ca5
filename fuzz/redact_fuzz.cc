// Whatever stands around it, an address that is given on a line of its own is gone.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "redact/redactor.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  antifreeze::redact::Redactor redactor({.hosts = {"goldfinch"}, .users = {"akemi"}});
  const std::string out = redactor.text(std::string(text) + "\n peer 198.51.100.7 of goldfinch\n" + std::string(text));
  if (out.find(" of goldfinch\n") != std::string::npos || out.find("peer 198.51.100.7 of") != std::string::npos)
    std::abort();
  return 0;
}
