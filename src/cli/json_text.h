// One JSON object as --json prints it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace antifreeze::cli {

/// Keeps the order in which keys were added, so that people can read it too.
using Json = nlohmann::ordered_json;

/// On one line with LF. Bytes that are no UTF-8 (a container chose them) become U+FFFD; it never throws.
inline std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace antifreeze::cli
