// Command lines and environments for the tests of this folder.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "engines/recognise.h"

namespace antifreeze::engines {

/// "vllm serve m" -> three words.
inline std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> out;
  for (const auto word : core::split_words(line)) out.emplace_back(word);
  return out;
}

/// A view on `variables`, which must outlive it.
inline EnvView env_of(const std::map<std::string, std::string>& variables) {
  return [&variables](std::string_view name) -> std::optional<std::string_view> {
    const auto it = variables.find(std::string(name));
    if (it == variables.end()) return std::nullopt;
    return it->second;
  };
}

inline std::optional<EngineFacts> recognise_line(std::string_view line,
                                                 const std::map<std::string, std::string>& variables = {}) {
  return recognise(words_of(line), env_of(variables));
}

/// bash -c SCRIPT with the given words behind it.
inline std::optional<EngineFacts> recognise_script(std::string_view script,
                                                   const std::map<std::string, std::string>& variables = {},
                                                   std::vector<std::string> behind = {}) {
  std::vector<std::string> argv{"bash", "-c", std::string(script)};
  argv.insert(argv.end(), behind.begin(), behind.end());
  return recognise(argv, env_of(variables));
}

}  // namespace antifreeze::engines
