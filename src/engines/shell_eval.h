// Follows a shell script far enough to know the words of each command that it runs.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/environment.h"
#include "engines/word.h"

namespace antifreeze::engines {

/// The command words of "sh -c SCRIPT NAME ARG…": which word is the script, and which are $0, $1 …
struct ShellCall {
  std::string script;
  std::vector<Word> parameters;  ///< $0 first
};

/// "sh", "/bin/bash" …
bool is_shell(std::string_view program);

/// Reads "bash -lc SCRIPT …", "/bin/sh -e -c SCRIPT …". nullopt when it is no shell, or one that reads a file.
std::optional<ShellCall> parse_shell_call(std::span<const Word> words);

/// One command of the script as it will be started.
struct ShellStep {
  std::vector<Word> words;
  Environment env;
};

/// The script's commands in order, with variables replaced where their values are certain: they come from `env`, from
/// plain assignments in the script, or from the parameters. Values that depend on a condition or on another file are
/// unknown. nullopt when the script cannot be read.
std::optional<std::vector<ShellStep>> follow_shell(const ShellCall& call, const Environment& env);

}  // namespace antifreeze::engines
