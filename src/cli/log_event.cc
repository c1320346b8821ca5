#include "cli/log_event.h"

#include <array>
#include <nlohmann/json.hpp>

#include "cli/duration_text.h"
#include "cli/width.h"
#include "core/text.h"
#include "core/units.h"

namespace antifreeze::cli {
namespace {

using RawJson = nlohmann::json;

constexpr std::array kPhases{gate::Phase::kQueued,   gate::Phase::kGranted,  gate::Phase::kReclaiming,
                             gate::Phase::kStarting, gate::Phase::kSettling, gate::Phase::kReady,
                             gate::Phase::kStopping, gate::Phase::kHeld,     gate::Phase::kExited};

std::optional<gate::Phase> phase_of(std::string_view name) {
  for (const auto phase : kPhases) {
    if (gate::phase_name(phase) == name) return phase;
  }
  return std::nullopt;
}

std::optional<std::string> text_at(const RawJson& object, const char* key, std::size_t max_bytes) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_string()) return std::nullopt;
  return core::printable(it->get_ref<const std::string&>(), max_bytes);
}

std::optional<std::int64_t> number_at(const RawJson& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number_integer()) return std::nullopt;
  // Unsigned values beyond 2^63 cannot be honest: all of them are nanoseconds, bytes or pids.
  if (it->is_number_unsigned() && it->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return it->get<std::int64_t>();
}

/// nlohmann's parser does not recurse, so with the length bounded a nested line is as harmless as any other.
std::optional<RawJson> parse_object(std::string_view line) {
  if (line.size() > kMaxLogLine || !line.starts_with('{')) return std::nullopt;
  auto parsed = RawJson::parse(line, nullptr, false);
  if (parsed.is_discarded() || !parsed.is_object()) return std::nullopt;
  return parsed;
}

}  // namespace

std::optional<LogEvent> parse_event(std::string_view line) {
  const auto object = parse_object(line);
  if (!object) return std::nullopt;
  const auto boot_id = text_at(*object, "boot_id", 64);
  const auto boottime = number_at(*object, "boottime_ns");
  const auto service = text_at(*object, "service", 128);
  const auto state = text_at(*object, "state", 16);
  const auto phase = state ? phase_of(*state) : std::nullopt;
  if (!boot_id || !boottime || *boottime < 0 || *boottime > kFarthestNs || !service || service->empty() || !phase)
    return std::nullopt;
  LogEvent event;
  event.boot_id = *boot_id;
  event.boottime = {*boottime};
  event.service = *service;
  event.domain = text_at(*object, "domain", 256).value_or("");
  event.phase = *phase;
  event.reason = text_at(*object, "reason", 1024).value_or("");
  event.pid = number_at(*object, "pid");
  event.pid_namespace = number_at(*object, "pid_ns");
  if (const auto bytes = number_at(*object, "mem_available"); bytes && *bytes >= 0) {
    event.mem_available = static_cast<std::uint64_t>(*bytes);
  }
  event.ticket = text_at(*object, "ticket", 64);
  event.behind = text_at(*object, "behind", 128);
  event.exit_code = number_at(*object, "exit_code");
  event.lost_bytes = number_at(*object, "lost_bytes");
  event.line = line;
  return event;
}

EventList parse_events(std::string_view text) {
  EventList list;
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) break;
    const auto line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (auto event = parse_event(line)) {
      list.events.push_back(std::move(*event));
    } else if (!core::trim(line).empty()) {
      ++list.garbage;
    }
  }
  return list;
}

std::string event_text(const LogEvent& event, const TimeBase& base) {
  std::string when;
  if (event.boot_id == base.boot_id) {
    when = core::format_rfc3339(base.wall_at(event.boottime));
  } else {
    when = pad("boot " + event.boot_id.substr(0, 8) + " +" + short_duration(event.boottime - core::BootTime{}), 24);
  }
  std::string text = when + "  " + pad(event.service, 14) + "  " + pad(gate::phase_name(event.phase), 10);
  if (!event.reason.empty()) text += "  " + event.reason;
  if (event.mem_available) text += "  (" + core::format_bytes(*event.mem_available) + " available)";
  return text;
}

}  // namespace antifreeze::cli
