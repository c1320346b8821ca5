// Options on a command line, read the way the engines' own parsers read them.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engines/word.h"

namespace antifreeze::engines {

/// One option that matters to us, or one that is there only because its name begins like one that does.
struct Flag {
  std::string_view name;  ///< "--port", "-tp"; dashes between words
  int key = 0;            ///< the dialect's own number; several spellings share one
  bool takes_value = true;
};

/// Key of options that are listed for the sake of their names.
inline constexpr int kNeighbour = 0;

enum class Grammar {
  kExact,     ///< names must be whole (click, clap, llama.cpp)
  kPrefixes,  ///< any unambiguous beginning of a long name will do (argparse, getopt_long)
};

/// The options found. Underscores in names count as dashes everywhere: the engines that do not accept them die of it.
class ParsedArgs {
 public:
  /// Both must outlive the result.
  ParsedArgs(std::span<const Word> args, std::span<const Flag> flags, Grammar grammar);

  [[nodiscard]] bool has(int key) const { return find(key) != nullptr; }
  /// Value of the last occurrence, which wins; nullptr when there is none or it came without one.
  [[nodiscard]] const Word* value(int key) const;
  /// Whether words that a shell would expand to something unknown may still change what `key` says.
  [[nodiscard]] bool may_be_overridden(int key) const;
  /// The first word when it is no option: the model, for those that take it there.
  [[nodiscard]] const Word* first_operand() const { return first_operand_; }
  /// Everything, as it was given.
  [[nodiscard]] std::span<const Word> words() const { return words_; }

 private:
  struct Found {
    int key;
    std::size_t at;
    std::optional<Word> value;
  };

  [[nodiscard]] const Found* find(int key) const;
  [[nodiscard]] const Flag* match(std::string_view name) const;

  std::span<const Word> words_;
  std::span<const Flag> flags_;
  Grammar grammar_;
  std::vector<Found> found_;
  std::optional<std::size_t> last_unknown_;
  const Word* first_operand_ = nullptr;
};

}  // namespace antifreeze::engines
