#include "readings/meminfo.h"

#include <array>
#include <limits>

#include "core/text.h"

namespace antifreeze::readings {
namespace {

struct Row {
  std::string_view name;
  std::optional<std::uint64_t> MemInfo::* field;
  bool in_pages;  // printed as a bare count instead of "N kB"
};

constexpr std::array<Row, 15> kRows{{
    {"MemTotal", &MemInfo::total, false},
    {"MemFree", &MemInfo::free, false},
    {"MemAvailable", &MemInfo::available, false},
    {"Buffers", &MemInfo::buffers, false},
    {"Cached", &MemInfo::cached, false},
    {"Active(file)", &MemInfo::active_file, false},
    {"Inactive(file)", &MemInfo::inactive_file, false},
    {"Unevictable", &MemInfo::unevictable, false},
    {"Shmem", &MemInfo::shmem, false},
    {"SReclaimable", &MemInfo::slab_reclaimable, false},
    {"SwapTotal", &MemInfo::swap_total, false},
    {"SwapFree", &MemInfo::swap_free, false},
    {"HugePages_Total", &MemInfo::hugepages_total, true},
    {"HugePages_Free", &MemInfo::hugepages_free, true},
    {"Hugepagesize", &MemInfo::hugepage_size, false},
}};

std::optional<std::uint64_t> parse_value(std::string_view text, bool in_pages) {
  const std::string_view value = core::trim(text);
  if (in_pages) return core::parse_uint(value);
  // Without its unit a number may have lost digits at a torn end, so it does not count.
  constexpr std::string_view kUnit = " kB";
  if (!value.ends_with(kUnit)) return std::nullopt;
  const auto kib = core::parse_uint(core::trim(value.substr(0, value.size() - kUnit.size())));
  if (!kib || *kib > std::numeric_limits<std::uint64_t>::max() / 1024) return std::nullopt;
  return *kib * 1024;
}

}  // namespace

MemInfo parse_meminfo(std::string_view text) {
  MemInfo out;
  while (const auto line = core::next_line(text)) {
    const auto colon = line->find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line->substr(0, colon);
    for (const Row& row : kRows) {
      if (row.name != name) continue;
      auto& field = out.*row.field;
      if (!field) field = parse_value(line->substr(colon + 1), row.in_pages);
      break;
    }
  }
  return out;
}

}  // namespace antifreeze::readings
