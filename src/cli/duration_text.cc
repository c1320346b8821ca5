#include "cli/duration_text.h"

#include <algorithm>

namespace antifreeze::cli {
namespace {
std::string two_digits(std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); }
}  // namespace

std::string short_duration(core::Nanos duration) {
  const std::int64_t tenths = std::max<std::int64_t>(duration.count(), 0) / 100'000'000;
  const std::int64_t seconds = tenths / 10;
  if (tenths == 0) return std::to_string(std::max<std::int64_t>(duration.count(), 0) / 1'000'000) + "ms";
  if (seconds < 60) return std::to_string(seconds) + "." + std::to_string(tenths % 10) + "s";
  if (seconds < 3600) return std::to_string(seconds / 60) + "m" + two_digits(seconds % 60) + "s";
  if (seconds < 86'400) return std::to_string(seconds / 3600) + "h" + two_digits(seconds / 60 % 60) + "m";
  return std::to_string(seconds / 86'400) + "d" + std::to_string(seconds / 3600 % 24) + "h";
}

}  // namespace antifreeze::cli
