// The little JSON that requests carry: values of the top-level keys, as text.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace antifreeze::fakevllm {

/// {"a":"x","n":5,"m":[…]} -> a: x (unescaped), n: 5, m: its raw text. Empty for anything that is no object, and cut
/// off where the text stops making sense: a test server need not be a validator.
std::map<std::string, std::string, std::less<>> json_fields(std::string_view text);

/// `text` as a JSON string with its quotes.
std::string json_string(std::string_view text);

}  // namespace antifreeze::fakevllm
