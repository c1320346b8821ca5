// One word of a command, and whether we know what it will be once a shell has expanded it.
#pragma once

#include <string>
#include <utility>

namespace antifreeze::engines {

enum class Certainty {
  kKnown,
  kOneWord,   ///< stays one word, its text (or the rest of it) is unknown
  kAnyWords,  ///< may become any number of words, options among them
};

struct Word {
  std::string text;  ///< of an uncertain word the part in front of what is unknown
  Certainty certainty = Certainty::kKnown;

  Word() = default;
  explicit Word(std::string known) : text(std::move(known)) {}
  Word(std::string part, Certainty how) : text(std::move(part)), certainty(how) {}

  [[nodiscard]] bool known() const { return certainty == Certainty::kKnown; }
  friend bool operator==(const Word&, const Word&) = default;
};

}  // namespace antifreeze::engines
