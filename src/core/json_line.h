// Writes one flat JSON object on one line, for event logs. Reading JSON is nlohmann's work; this one has to fit into
// the static program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace antifreeze::core {

/// Appends `text` as a JSON string with its quotes; invalid UTF-8 bytes become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

/// {"a":"x","b":1}: fields in the order they were added. Absent optionals are left out.
class JsonLine {
 public:
  JsonLine& add(std::string_view key, std::string_view value);
  JsonLine& add(std::string_view key, const char* value) { return add(key, std::string_view(value)); }
  JsonLine& add(std::string_view key, std::int64_t value);
  JsonLine& add(std::string_view key, std::uint64_t value);
  JsonLine& add(std::string_view key, int value) { return add(key, static_cast<std::int64_t>(value)); }
  JsonLine& add(std::string_view key, bool value);
  template <typename T>
  JsonLine& add(std::string_view key, const std::optional<T>& value) {
    return value ? add(key, *value) : *this;
  }
  /// The object so far, with its closing brace, without LF.
  [[nodiscard]] std::string str() const { return body_ + "}"; }

 private:
  void key(std::string_view key);
  std::string body_ = "{";
};

}  // namespace antifreeze::core
