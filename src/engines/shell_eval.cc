#include "engines/shell_eval.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "engines/launchers.h"
#include "engines/shell_lex.h"

namespace antifreeze::engines {
namespace {

// A script can make words double with each command; nobody's command line gets near these.
constexpr std::size_t kMostWords = 4096;
constexpr std::size_t kLongestWord = 65536;

constexpr std::array<std::string_view, 6> kShells{"sh", "bash", "dash", "ash", "zsh", "ksh"};

// Words in front of a command that are no command.
constexpr std::array<std::string_view, 9> kKeywords{"{", "!", "if", "then", "elif", "else", "while", "until", "do"};
// What makes it depend on something that we cannot see which assignments take place.
constexpr std::array<std::string_view, 9> kConditions{"if", "while", "until", "for",     "case",
                                                      "[",  "[[",    "test",  "function"};
// What may set any variable.
constexpr std::array<std::string_view, 7> kSetters{"source", ".", "eval", "read", "mapfile", "getopts", "unset"};
// Variables that a shell sets by itself.
constexpr std::array<std::string_view, 10> kOwnVariables{"HOSTNAME", "PWD",  "OLDPWD", "RANDOM",  "UID",
                                                         "EUID",     "PPID", "HOME",   "SECONDS", "IFS"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string_view plain_text(const ShellWord& word) {
  return word.size() == 1 && word[0].kind == ShellPiece::Kind::kText ? std::string_view(word[0].text)
                                                                     : std::string_view();
}

class Follower {
 public:
  Follower(const ShellCall& call, const Environment& env) : call_(call), env_(env) {}

  std::vector<ShellStep> run(const std::vector<ShellCommand>& commands) {
    conditional_ = std::any_of(commands.begin(), commands.end(), [](const ShellCommand& command) {
      return command.or_else || contains(kConditions, plain_text(command.words[0]));
    });
    std::vector<ShellStep> steps;
    for (const ShellCommand& command : commands) {
      if (auto step = follow(command)) steps.push_back(std::move(*step));
    }
    return steps;
  }

 private:
  std::optional<ShellStep> follow(const ShellCommand& command) {
    std::size_t first = 0;
    while (first < command.words.size() && contains(kKeywords, plain_text(command.words[first]))) ++first;
    const std::span words = std::span(command.words).subspan(first);
    if (words.empty()) return std::nullopt;
    const std::string_view name = plain_text(words[0]);
    if (name == "for" && words.size() > 1) env_.set(plain_text(words[1]), Word("", Certainty::kAnyWords));
    if (name == "for" || name == "case" || name == "function") return std::nullopt;
    if (name == "shift" || name == "set") {
      parameters_changed_ = parameters_changed_ || name == "shift" || words.size() > 2;  // set -- A B
      return std::nullopt;
    }
    if (contains(kSetters, name)) {
      anything_set_ = true;
      return std::nullopt;
    }
    if (name == "export" || name == "declare" || name == "local" || name == "readonly") {
      for (const ShellWord& word : words.subspan(1)) assign(word, env_, !conditional_);
      return std::nullopt;
    }
    ShellStep step{{}, env_};
    std::size_t at = 0;
    while (at < words.size() && is_assignment(words[at])) ++at;
    if (at == words.size()) {
      for (const ShellWord& word : words) assign(word, env_, !conditional_);
      return std::nullopt;
    }
    for (const ShellWord& word : words.first(at)) assign(word, step.env, true);
    for (const ShellWord& word : words.subspan(at)) expand(word, step.words);
    if (step.words.empty()) return std::nullopt;
    return step;
  }

  static bool is_assignment(const ShellWord& word) {
    return !word.empty() && word[0].kind == ShellPiece::Kind::kText && assignment_at(word[0].text) > 0;
  }

  void assign(const ShellWord& word, Environment& where, bool certain) {
    if (!is_assignment(word)) return;
    const std::size_t equals = assignment_at(word[0].text);
    ShellWord value = word;
    value[0].text.erase(0, equals + 1);
    for (ShellPiece& piece : value) piece.quoted = true;  // assigned values are not split
    std::vector<Word> words;
    expand(value, words);
    Word result = words.size() == 1 ? words[0] : Word("", words.empty() ? Certainty::kKnown : Certainty::kOneWord);
    if (!certain) result = Word("", Certainty::kAnyWords);
    where.set(std::string_view(word[0].text).substr(0, equals), std::move(result));
  }

  // A variable's value; an uncertain word when it cannot be known.
  Word look_up(const ShellPiece& piece) {
    const std::string& name = piece.text;
    std::optional<Word> value;
    if (name[0] >= '0' && name[0] <= '9') {
      const auto number = core::parse_uint(name);
      if (parameters_changed_ && name != "0") return Word("", Certainty::kAnyWords);
      if (number && *number < call_.parameters.size()) value = call_.parameters[*number];
    } else if (std::string_view("#?$!-*").find(name[0]) != std::string_view::npos) {
      return Word("", Certainty::kAnyWords);
    } else {
      if (anything_set_) return Word("", Certainty::kAnyWords);
      value = env_.get(name);
      if (!value && contains(kOwnVariables, name)) return Word("", Certainty::kAnyWords);
    }
    if (value && !value->known()) return *value;
    if (piece.fallback && (!value || (piece.fallback_if_empty && value->text.empty()))) return Word(*piece.fallback);
    return value ? *value : Word();
  }

  void expand(const ShellWord& word, std::vector<Word>& out) {
    Word current;
    bool open = false;
    for (const ShellPiece& piece : word) {
      if (piece.kind == ShellPiece::Kind::kText) {
        append(piece.text, current);
        open = open || !piece.text.empty() || word.size() == 1;  // "" is a word, the quotes around "$@" are none
        continue;
      }
      if (piece.kind == ShellPiece::Kind::kVariable && (piece.text == "@" || piece.text == "*")) {
        add_parameters(out);
        continue;
      }
      const Word value = piece.kind == ShellPiece::Kind::kVariable ? look_up(piece) : Word("", Certainty::kAnyWords);
      if (!value.known()) {
        const bool one = piece.quoted || !current.text.empty();
        if (current.known()) current.certainty = one ? Certainty::kOneWord : Certainty::kAnyWords;
        open = true;
      } else if (piece.quoted) {
        append(value.text, current);
        open = true;
      } else {
        split_into(value.text, current, open, out);
      }
    }
    if (open && out.size() < kMostWords) out.push_back(std::move(current));
  }

  void add_parameters(std::vector<Word>& out) const {
    if (parameters_changed_) out.emplace_back("", Certainty::kAnyWords);
    for (std::size_t i = 1; i < call_.parameters.size() && !parameters_changed_; ++i) {
      if (out.size() < kMostWords) out.push_back(call_.parameters[i]);
    }
  }

  // What comes behind something unknown is not kept: `text` is the part in front of it.
  static void append(std::string_view text, Word& word) {
    if (word.known() && word.text.size() + text.size() <= kLongestWord) word.text += text;
  }

  static void split_into(std::string_view value, Word& current, bool& open, std::vector<Word>& out) {
    constexpr std::string_view kBlanks = " \t\n";
    while (!value.empty()) {
      const auto begin = value.find_first_not_of(kBlanks);
      if (begin != 0 && open && out.size() < kMostWords) {
        out.push_back(std::move(current));
        current = {};
        open = false;
      }
      if (begin == std::string_view::npos) return;
      value.remove_prefix(begin);
      const auto end = std::min(value.find_first_of(kBlanks), value.size());
      append(value.substr(0, end), current);
      open = true;
      value.remove_prefix(end);
    }
  }

  const ShellCall& call_;
  Environment env_;
  bool conditional_ = false;
  bool anything_set_ = false;
  bool parameters_changed_ = false;
};

}  // namespace

bool is_shell(std::string_view program) { return contains(kShells, base_name(program)); }

std::optional<ShellCall> parse_shell_call(std::span<const Word> words) {
  if (words.empty() || !words[0].known() || !is_shell(words[0].text)) return std::nullopt;
  bool command = false;
  std::size_t at = 1;
  for (; at < words.size() && words[at].text.size() > 1 && (words[at].text[0] == '-' || words[at].text[0] == '+');
       ++at) {
    const std::string_view text = words[at].text;
    if (text == "--") {
      ++at;
      break;
    }
    if (text.starts_with("--")) continue;  // --login, --norc
    if (text.find('c') != std::string_view::npos) command = true;
    if (text.back() == 'o' || text.back() == 'O') ++at;  // -o pipefail, -euo pipefail
  }
  if (!command || at >= words.size() || !words[at].known()) return std::nullopt;
  ShellCall call{words[at].text, {}};
  for (std::size_t i = at + 1; i < words.size(); ++i) call.parameters.push_back(words[i]);
  return call;
}

std::optional<std::vector<ShellStep>> follow_shell(const ShellCall& call, const Environment& env) {
  const auto commands = lex_shell(call.script);
  if (!commands) return std::nullopt;
  return Follower(call, env).run(*commands);
}

}  // namespace antifreeze::engines
