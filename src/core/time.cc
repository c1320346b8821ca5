#include "core/time.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "core/text.h"

namespace antifreeze::core {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t ns;
};
constexpr std::array<Unit, 7> kUnits{{{"d", 86'400'000'000'000},
                                      {"h", 3'600'000'000'000},
                                      {"m", 60'000'000'000},
                                      {"s", 1'000'000'000},
                                      {"ms", 1'000'000},
                                      {"us", 1'000},
                                      {"ns", 1}}};

Error bad_duration(std::string_view text) {
  return {ErrorCode::kInvalid, "'" + std::string(text) + "' is not a duration; write 300ms, 30s, 15m or 2h"};
}

}  // namespace

Result<Nanos> parse_duration(std::string_view text) {
  if (text == "0") return Nanos(0);
  std::size_t digits = 0;
  while (digits < text.size() && ((text[digits] >= '0' && text[digits] <= '9') || text[digits] == '.')) ++digits;
  const auto unit_name = text.substr(digits);
  const auto number = parse_decimal(text.substr(0, digits));
  if (!number) return bad_duration(text);
  for (const auto& unit : kUnits) {
    if (unit.name != unit_name) continue;
    const double ns = *number * static_cast<double>(unit.ns);
    if (ns > 9.2e18) return Error(ErrorCode::kInvalid, "'" + std::string(text) + "' is too long: at most 292 years");
    return Nanos(static_cast<std::int64_t>(std::round(ns)));
  }
  return bad_duration(text);
}

std::string format_duration(Nanos duration) {
  const std::int64_t ns = duration.count();
  if (ns == 0) return "0s";
  if (ns < 0) return "-" + format_duration(Nanos(-ns));
  for (const auto& unit : kUnits) {
    if (ns < unit.ns) continue;
    if (ns % unit.ns == 0) return std::to_string(ns / unit.ns) + std::string(unit.name);
    if (unit.name == "d" || unit.name == "h" || unit.name == "m") continue;
    // At most two decimals below a minute: enough for a person, and log lines stay short.
    const std::int64_t hundredths = (ns + unit.ns / 200) / (unit.ns / 100);
    std::string out = std::to_string(hundredths / 100);
    const auto rest = hundredths % 100;
    if (rest != 0) {
      out += '.';
      out += static_cast<char>('0' + rest / 10);
      if (rest % 10 != 0) out += static_cast<char>('0' + rest % 10);
    }
    return out + std::string(unit.name);
  }
  return std::to_string(ns) + "ns";
}

std::string format_rfc3339(WallTime time) {
  std::time_t seconds = time.ns / 1'000'000'000;
  std::int64_t millis = time.ns / 1'000'000 % 1000;
  if (millis < 0) {
    millis += 1000;
    --seconds;
  }
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 96> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, static_cast<int>(millis));
  return buffer.data();
}

}  // namespace antifreeze::core
