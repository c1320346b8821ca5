#include "readings/environ.h"

namespace antifreeze::readings {

std::vector<std::string_view> split_nul(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto end = text.find('\0');
    out.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

std::optional<std::string_view> find_in_environ(std::string_view environ_text, std::string_view key) {
  while (!environ_text.empty() && !key.empty()) {
    const auto end = environ_text.find('\0');
    const std::string_view entry = environ_text.substr(0, end);
    if (entry.size() > key.size() && entry[key.size()] == '=' && entry.starts_with(key)) {
      return entry.substr(key.size() + 1);
    }
    environ_text.remove_prefix(end == std::string_view::npos ? environ_text.size() : end + 1);
  }
  return std::nullopt;
}

std::vector<std::string_view> split_cmdline(std::string_view text) {
  auto out = split_nul(text);
  while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

}  // namespace antifreeze::readings
