// The pause and the safe-boot mark, which any container may have written: as they are, and with a right checksum.
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/crc32c.h"
#include "core/text.h"
#include "gate/pause_file.h"
#include "gate/safe_boot_decide.h"

namespace {

using namespace antifreeze;

std::string with_checksum(std::string_view magic, std::string_view input) {
  const auto body = std::string(magic) + "\n" + std::string(input.substr(0, input.rfind("crc32c=")));
  return body + "crc32c=" + core::to_hex(core::crc32c(body), 8) + "\n";
}

void read_pause(std::string_view file) {
  const auto pause = gate::decode_pause(file);
  if (!pause) return;
  const auto text = gate::encode_pause(*pause);
  const auto again = gate::decode_pause(text);
  if (text.size() > gate::kPauseFileBytes || !again || gate::encode_pause(*again) != text) std::abort();
  const core::BootTime now{60'000'000'000};
  const auto until = gate::paused_until(*pause, now, pause->boot_id, 0, 0);
  if (until && (*until <= now || *until > now + gate::kMaxPause)) std::abort();
}

void read_safe_boot(std::string_view file) {
  const auto reason = gate::decode_safe_boot(file);
  if (reason && !gate::decode_safe_boot(gate::encode_safe_boot(*reason, {}))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  read_pause(input);
  read_safe_boot(input);
  read_pause(with_checksum("antifreeze-pause 1", input));
  read_safe_boot(with_checksum("antifreeze-safe-boot 1", input));
  return 0;
}
