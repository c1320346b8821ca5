// Reads a command line in an engine's own grammar plus the --fake-* knobs.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "fakevllm/dialect.h"

namespace antifreeze::fakevllm {

/// What was given: flags by their meaning, knobs by their name, and the words that are neither.
struct CommandLine {
  std::map<std::string, std::string, std::less<>> flags;
  std::map<std::string, std::string, std::less<>> knobs;
  std::vector<std::string> operands;

  [[nodiscard]] std::optional<std::string_view> flag(std::string_view meaning) const;
  [[nodiscard]] std::optional<std::string_view> knob(std::string_view name) const;
};

/// Parses like argparse: "--name value", "--name=value", '_' for '-', unambiguous prefixes, the last of two wins.
/// "--config FILE.yaml" (top-level "key: value" lines) counts less than the command line, the environment least.
core::Result<CommandLine> parse_command_line(const Dialect& dialect, std::span<const std::string_view> words);

}  // namespace antifreeze::fakevllm
