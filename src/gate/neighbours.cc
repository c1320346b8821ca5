#include "gate/neighbours.h"

#include <fcntl.h>

#include <algorithm>

#include "core/text.h"
#include "gate/event_log.h"
#include "host/dir.h"
#include "host/dir_edit.h"

namespace antifreeze::gate {
namespace {

constexpr std::size_t kLogTail = 64 * 1024;
constexpr std::size_t kMostNamed = 8;

/// The value of `key` in a line of ours: up to the closing quote, or of digits. "" when it is not there.
std::string_view field(std::string_view line, std::string_view key) {
  const auto at = line.find("\"" + std::string(key) + "\":");
  if (at == std::string_view::npos) return "";
  auto rest = line.substr(at + key.size() + 3);
  const bool quoted = rest.starts_with('"');
  if (quoted) rest.remove_prefix(1);
  return rest.substr(0, quoted ? rest.find('"') : rest.find_first_of(",}"));
}

}  // namespace

std::vector<std::string> neighbours_that_left(std::string_view log, std::string_view service, core::BootTime since,
                                              std::string_view boot_id) {
  std::vector<std::string> names;
  while (const auto line = core::next_line(log)) {
    if (field(*line, "state") != phase_name(Phase::kExited) || field(*line, "boot_id") != boot_id) continue;
    const auto when = core::parse_int(field(*line, "boottime_ns"));
    auto name = core::printable(field(*line, "service"), 64);
    if (!when || core::BootTime{*when} < since || name == service || name.empty()) continue;
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    if (names.size() == kMostNamed) break;
  }
  return names;
}

std::vector<std::string> neighbours_that_left(const GateDir& dir, std::string_view service, core::BootTime since,
                                              std::string_view boot_id) {
  const auto fd = host::open_regular_at(dir.fd(), std::string(kEventLogName), O_RDONLY);
  if (!fd) return {};
  const auto text = host::pread_all(fd->get(), 2 * kEventLogBytes);
  if (!text) return {};
  const auto tail = std::string_view(*text).substr(text->size() > kLogTail ? text->size() - kLogTail : 0);
  return neighbours_that_left(tail, service, since, boot_id);
}

}  // namespace antifreeze::gate
