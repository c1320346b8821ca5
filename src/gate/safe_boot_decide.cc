#include "gate/safe_boot_decide.h"

#include <algorithm>

#include "core/text.h"
#include "gate/record_text.h"

namespace antifreeze::gate {
namespace {

constexpr std::string_view kMagic = "antifreeze-safe-boot 1";
constexpr std::size_t kFileBytes = 1024;

bool ended_within(core::WallTime end, core::WallTime now, core::Nanos within) {
  if (end.ns <= 0 || end > now) return true;  // the clock says nothing: the careful answer
  return now - end <= within;
}

}  // namespace

SafeBootVerdict decide_safe_boot(std::span<const BootEntry> boots, core::WallTime now, const SafeBootPolicy& policy) {
  SafeBootVerdict verdict;
  for (std::size_t i = 0; i < boots.size(); ++i) {
    if (boots[i].acknowledged) verdict.unclean = 0;
    const bool ended = i + 1 < boots.size();  // the last one runs now
    if (ended && !boots[i].ended_clean && ended_within(boots[i + 1].started, now, policy.within)) ++verdict.unclean;
  }
  if (policy.unclean_boots <= 0 || verdict.unclean < policy.unclean_boots) return verdict;
  verdict.safe_boot = true;
  verdict.reason = std::to_string(verdict.unclean) + " boots ended without a shutdown within " +
                   core::format_duration(policy.within);
  return verdict;
}

std::string encode_safe_boot(std::string_view reason, core::WallTime since) {
  RecordWriter out(kMagic);
  out.add("reason", reason);
  out.add("since_wall_ns", std::max<std::int64_t>(since.ns, 0));
  return out.finish();
}

core::Result<std::string> decode_safe_boot(std::string_view file) {
  auto reader = RecordReader::open(file, kMagic, kFileBytes);
  if (!reader) return std::move(reader).error().with_context("not a safe-boot mark");
  std::string reason;
  while (const auto field = reader->next()) {
    if (field->key == "reason") reason = field->text();
  }
  return reason;
}

}  // namespace antifreeze::gate
