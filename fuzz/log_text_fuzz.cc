// Pasted logs: where the blocks are cut must make no difference, and nothing may grow without bound.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "readings/log_text.h"

namespace {

std::vector<std::string> read(std::string_view text, std::size_t step) {
  std::vector<std::string> out;
  antifreeze::readings::LogTextReader reader(
      2026, {[&](const antifreeze::readings::LogEntry& entry) {
               if (entry.message.size() > 64U * 1024 + 2048 || entry.identifier.size() > 80) std::abort();
               out.emplace_back(entry.message);
             },
             [&](std::string_view id) { out.push_back("boot " + std::string(id)); }});
  for (std::size_t at = 0; at < text.size(); at += step) reader.feed(text.substr(at, step));
  reader.finish();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (read(text, size + 1) != read(text, 7)) std::abort();
  return 0;
}
