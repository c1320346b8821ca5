#include "runtime/settings.h"

#include <algorithm>

#include "core/text.h"
#include "core/toml.h"
#include "gate/ticket.h"

namespace antifreeze::runtime {
namespace {

struct Field {
  std::string_view key;
  std::string Settings::* member;
};
constexpr Field kFields[] = {{"gate-dir", &Settings::gate_dir},
                             {"config", &Settings::config},
                             {"runc", &Settings::runc},
                             {"nvidia", &Settings::nvidia},
                             {"log-socket", &Settings::log_socket}};

}  // namespace

Settings parse_settings(std::string_view text) {
  Settings settings;
  while (const auto line = core::next_line(text)) {
    const auto equals = line->find('=');
    if (equals == std::string_view::npos) continue;
    const auto key = core::trim(line->substr(0, equals));
    const auto value = core::trim(line->substr(equals + 1));
    for (const auto& field : kFields) {
      if (field.key == key && !value.empty()) settings.*field.member = value;
    }
    if (key == "budget-ms") {
      const auto number = core::parse_int(value);
      if (number && *number >= 1 && *number <= 10000) settings.budget_ms = static_cast<int>(*number);
    }
  }
  return settings;
}

std::string settings_text(const Settings& settings) {
  const Settings defaults;
  std::string text;
  for (const auto& field : kFields) {
    if (settings.*field.member != defaults.*field.member) {
      text += std::string(field.key) + "=" + settings.*field.member + "\n";
    }
  }
  if (settings.budget_ms != defaults.budget_ms) text += "budget-ms=" + std::to_string(settings.budget_ms) + "\n";
  return text;
}

core::Result<std::map<std::string, int, std::less<>>> parse_priorities(std::string_view text) {
  const auto fail = [](const toml::source_position& at, const std::string& what) {
    return core::Error(core::ErrorCode::kInvalid,
                       "line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + ": " + what);
  };
  const auto parsed = toml::parse(text);
  if (!parsed) {
    return fail(parsed.error().source().begin, core::printable(parsed.error().description()));
  }
  std::map<std::string, int, std::less<>> priorities;
  const auto gate = parsed.table()["gate"];
  if (const auto* order = gate["order"].as_array()) {
    int next = gate::kMaxPriority;
    for (const auto& entry : *order) {
      const auto name = entry.value<std::string>();
      if (!name) return fail(entry.source().begin, "gate.order holds something that is no name");
      priorities.emplace(*name, next);
      next = std::max(next - 1, 1);
    }
  }
  if (const auto* table = gate["priorities"].as_table()) {
    for (const auto& [name, value] : *table) {
      const auto number = value.value<std::int64_t>();
      if (!number || *number < gate::kMinPriority || *number > gate::kMaxPriority) {
        return fail(value.source().begin,
                    "gate.priorities." + core::printable(name.str()) + " is not a whole number from -10 to 10");
      }
      priorities.insert_or_assign(std::string(name.str()), static_cast<int>(*number));
    }
  }
  return priorities;
}

}  // namespace antifreeze::runtime
