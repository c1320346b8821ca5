#include "readings/timens.h"

#include <limits>

#include "core/text.h"

namespace antifreeze::readings {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

std::optional<std::int64_t> offset_ns(std::string_view seconds, std::string_view nanos) {
  constexpr std::int64_t kMaxSeconds = std::numeric_limits<std::int64_t>::max() / kNsPerSecond - 1;
  const auto s = core::parse_int(seconds);
  const auto ns = core::parse_int(nanos);
  if (!s || !ns || *ns < 0 || *ns >= kNsPerSecond || *s > kMaxSeconds || *s < -kMaxSeconds) return std::nullopt;
  return *s * kNsPerSecond + *ns;
}

}  // namespace

TimeNsOffsets parse_timens_offsets(std::string_view text) {
  TimeNsOffsets out;
  while (const auto line = core::next_line(text)) {
    const auto words = core::split_words(*line);
    if (words.size() != 3) continue;
    if (words[0] == "monotonic") out.monotonic_ns = offset_ns(words[1], words[2]);
    if (words[0] == "boottime") out.boottime_ns = offset_ns(words[1], words[2]);
  }
  return out;
}

}  // namespace antifreeze::readings
