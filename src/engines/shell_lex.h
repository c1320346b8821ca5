// Splits a shell script, as it stands behind `sh -c`, into simple commands. Enough of the language to find the command
// that starts a server; whatever cannot be known without running it is marked so, never guessed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace antifreeze::engines {

/// A piece of a word.
struct ShellPiece {
  enum class Kind { kText, kVariable, kUnknown };
  Kind kind = Kind::kText;
  std::string text;                     ///< the text, or the variable's name ("@" and "1" among them)
  bool quoted = false;                  ///< an expansion inside double quotes is not split
  std::optional<std::string> fallback;  ///< ${NAME:-fallback}
  bool fallback_if_empty = false;       ///< with the colon: also when it is set to nothing

  friend bool operator==(const ShellPiece&, const ShellPiece&) = default;
};

using ShellWord = std::vector<ShellPiece>;

/// One simple command, without its redirections.
struct ShellCommand {
  std::vector<ShellWord> words;
  bool or_else = false;  ///< runs only if the one in front failed
};

/// nullopt when quotes do not match or the script is longer than 64 KiB or 256 commands. Stops at a here-document.
std::optional<std::vector<ShellCommand>> lex_shell(std::string_view script);

}  // namespace antifreeze::engines
