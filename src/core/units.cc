#include "core/units.h"

#include <array>
#include <cmath>

#include "core/text.h"

namespace antifreeze::core {

Result<std::uint64_t> parse_bytes(std::string_view text) {
  struct Suffix {
    std::string_view name;
    std::uint64_t bytes;
  };
  static constexpr std::array<Suffix, 11> kSuffixes{{{"TiB", 1024 * kGiB},
                                                     {"GiB", kGiB},
                                                     {"MiB", kMiB},
                                                     {"KiB", kKiB},
                                                     {"T", 1024 * kGiB},
                                                     {"G", kGiB},
                                                     {"M", kMiB},
                                                     {"K", kKiB},
                                                     {"g", kGiB},
                                                     {"m", kMiB},
                                                     {"B", 1}}};
  const auto bad = [&] {
    return Error(ErrorCode::kInvalid, "'" + std::string(text) + "' is not a size; write 8GiB, 512MiB or 4096B");
  };
  if (text == "0") return std::uint64_t{0};
  for (const auto& suffix : kSuffixes) {
    if (!text.ends_with(suffix.name)) continue;
    const auto number = parse_decimal(trim(text.substr(0, text.size() - suffix.name.size())));
    if (!number) return bad();
    const double bytes = *number * static_cast<double>(suffix.bytes);
    if (bytes >= 1.8e19) return bad();
    return static_cast<std::uint64_t>(std::round(bytes));
  }
  return bad();
}

std::string format_bytes(std::uint64_t bytes) {
  const auto with_unit = [&](std::uint64_t unit, std::string_view name) {
    const std::uint64_t tenths = (bytes / unit) * 10 + ((bytes % unit) * 10 + unit / 2) / unit;
    std::string out = std::to_string(tenths / 10);
    if (tenths % 10 != 0) out += "." + std::to_string(tenths % 10);
    return out + " " + std::string(name);
  };
  if (bytes >= kGiB) return with_unit(kGiB, "GiB");
  if (bytes >= kMiB) return with_unit(kMiB, "MiB");
  if (bytes >= kKiB) return with_unit(kKiB, "KiB");
  return std::to_string(bytes) + " B";
}

std::string format_bytes_delta(std::int64_t bytes) {
  // Negating in unsigned arithmetic also holds for the smallest value.
  const auto magnitude = bytes < 0 ? 0 - static_cast<std::uint64_t>(bytes) : static_cast<std::uint64_t>(bytes);
  return (bytes < 0 ? "-" : "+") + format_bytes(magnitude);
}

}  // namespace antifreeze::core
