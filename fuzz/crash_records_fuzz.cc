// What machines keep of their end: pstore and dump texts, wtmp. Anybody who can write there chooses the bytes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "readings/crash_dump.h"
#include "readings/wtmp.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antifreeze::readings;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const CrashDump dump = parse_crash_dump(bytes);
  if (dump.lines.size() > 600) std::abort();
  for (const auto& line : dump.lines) {
    if (line.find('\x1b') != line.npos || line.find('\n') != line.npos) std::abort();
  }
  for (const WtmpRecord& record : parse_wtmp(bytes)) {
    if (record.detail.find('\x1b') != record.detail.npos) std::abort();
  }
  return 0;
}
