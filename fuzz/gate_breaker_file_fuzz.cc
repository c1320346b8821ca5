// A breaker's file, which any container may have written: as it is, and once more with a right checksum under it, so
// that what lies behind the checksum is reached. What is accepted must survive being written and every decision.
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/crc32c.h"
#include "core/text.h"
#include "gate/breaker_decide.h"
#include "gate/breaker_file.h"

namespace {

using namespace antifreeze;

void decide(gate::BreakerRecord record) {
  const gate::BreakerNow now{{60'000'000'000}, {1'772'366'400'000'000'000}, "this-boot"};
  const gate::BreakerPolicy policy;
  (void)gate::before_start(record, now, policy);
  (void)gate::memory_loss(record);
  gate::after_start(record, now, 1 << 30);
  gate::after_ready(record, now);
  (void)gate::after_failure(record, now, policy, "exit 1");
  if (record.failures.size() > gate::kMaxFailuresKept) std::abort();
  if (!gate::decode_breaker(gate::encode_breaker(record))) std::abort();
}

void read(std::string_view file) {
  const auto record = gate::decode_breaker(file);
  if (!record) {
    if (record.error().message().empty()) std::abort();
    return;
  }
  const auto text = gate::encode_breaker(*record);
  if (text.size() > gate::kBreakerFileBytes) std::abort();
  const auto again = gate::decode_breaker(text);
  // Texts that are too long are cut once; from then on nothing changes any more.
  if (!again || gate::encode_breaker(*again) != text) std::abort();
  if (!gate::is_breaker_file_name(gate::breaker_file_name(record->service))) std::abort();
  decide(*record);
  auto same_boot = *record;
  same_boot.boot_id = "this-boot";
  decide(same_boot);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  read(input);
  const auto body = "antifreeze-breaker 1\n" + std::string(input.substr(0, input.rfind("crc32c=")));
  read(body + "crc32c=" + core::to_hex(core::crc32c(body), 8) + "\n");
  return 0;
}
