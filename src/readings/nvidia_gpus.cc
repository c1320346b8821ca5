#include "readings/nvidia_gpus.h"

#include <limits>

#include "core/text.h"

namespace antifreeze::readings {
namespace {

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::optional<std::uint64_t> hex_field(std::string_view text, std::size_t min_digits, std::size_t max_digits) {
  if (text.size() < min_digits || text.size() > max_digits) return std::nullopt;
  return core::parse_uint(text, 16);
}

std::optional<bool> yes_or_no(std::string_view text) {
  if (text == "Yes") return true;
  if (text == "No") return false;
  return std::nullopt;
}

}  // namespace

std::optional<Bdf> parse_bdf(std::string_view text) {
  const auto parts = core::split(text, ':');
  if (parts.size() != 3) return std::nullopt;
  const auto dot = parts[2].find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto domain = hex_field(parts[0], 4, 8);
  const auto bus = hex_field(parts[1], 2, 2);
  const auto device = hex_field(parts[2].substr(0, dot), 2, 2);
  const auto function = hex_field(parts[2].substr(dot + 1), 1, 1);
  if (!domain || !bus || !device || !function || *device > 0x1f || *function > 7) return std::nullopt;
  return Bdf{static_cast<std::uint32_t>(*domain), static_cast<std::uint8_t>(*bus), static_cast<std::uint8_t>(*device),
             static_cast<std::uint8_t>(*function)};
}

std::string format_bdf(const Bdf& bdf) {
  return core::to_hex(bdf.domain, bdf.domain > 0xffff ? 8 : 4) + ":" + core::to_hex(bdf.bus, 2) + ":" +
         core::to_hex(bdf.device, 2) + "." + core::to_hex(bdf.function, 1);
}

NvidiaGpu parse_nvidia_information(std::string_view text) {
  NvidiaGpu out;
  while (const auto line = core::next_line(text)) {
    const auto colon = line->find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line->substr(0, colon);
    const std::string_view value = core::trim(line->substr(colon + 1));
    if (name == "Model" && !value.empty()) out.model = std::string(value);
    if (name == "GPU UUID" && is_gpu_uuid(value)) out.uuid = std::string(value);
    if (name == "Bus Location") out.bdf = parse_bdf(value);
    if (name == "GPU Excluded" || name == "Blacklisted") out.excluded = yes_or_no(value);
    if (name == "Device Minor") {
      const auto minor = core::parse_uint(value);
      if (minor && *minor <= std::numeric_limits<std::uint32_t>::max()) out.minor = static_cast<std::uint32_t>(*minor);
    }
  }
  return out;
}

bool is_gpu_uuid(std::string_view text) {
  constexpr std::string_view kForm = "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == 'x' ? !is_hex(text[i]) : text[i] != kForm[i]) return false;
  }
  return true;
}

}  // namespace antifreeze::readings
