#include "engines/shell_lex.h"

#include <algorithm>

namespace antifreeze::engines {
namespace {

constexpr std::size_t kLongestScript = 65536;
constexpr std::size_t kMostCommands = 256;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }

class Lexer {
 public:
  explicit Lexer(std::string_view script) : rest_(script) {}

  std::optional<std::vector<ShellCommand>> run() {
    while (!rest_.empty() && !stopped_) {
      if (!step() || commands_.size() > kMostCommands) return std::nullopt;
    }
    end_command(false);
    return std::move(commands_);
  }

 private:
  // Takes one thing off the front; false when a quote or bracket has no end.
  bool step() {
    const char c = rest_[0];
    switch (c) {
      case ' ':
      case '\t':
      case '\r':
        end_word();
        take(1);
        return true;
      case '\n':
        end_command(false);
        stopped_ = here_document_;
        take(1);
        return true;
      case ';':
      case '(':
      case ')':
        end_command(false);
        take(1);
        return true;
      case '&':
      case '|':
        return separator(c);
      case '<':
      case '>':
        return redirection();
      case '#':
        if (word_open_) break;
        take(std::min(rest_.find('\n'), rest_.size()));
        return true;
      case '\'':
        return single_quotes();
      case '"':
        return double_quotes();
      case '\\':
        escape();
        return true;
      case '$':
      case '`':
        return expansion(false);
      default:
        break;
    }
    add_text(rest_.substr(0, 1));
    take(1);
    return true;
  }

  bool separator(char c) {
    if (c == '&' && rest_.size() > 1 && rest_[1] == '>') {  // &>file
      end_word();
      take(1);
      return redirection();
    }
    const bool doubled = rest_.size() > 1 && rest_[1] == c;
    end_command(c == '|' && doubled);
    take(doubled ? 2 : 1);
    return true;
  }

  bool redirection() {
    // A number in front is the descriptor, not a word: "2>&1".
    if (word_open_ && word_.size() == 1 && word_[0].kind == ShellPiece::Kind::kText &&
        std::all_of(word_[0].text.begin(), word_[0].text.end(), is_digit)) {
      word_.clear();
      word_open_ = false;
    }
    end_word();
    const auto length = std::min(rest_.find_first_not_of("<>&|-"), rest_.size());
    const std::string_view sign = rest_.substr(0, length);
    if (sign.starts_with("<<") && !sign.starts_with("<<<")) here_document_ = true;
    take(length);
    drop_word_ = true;
    return true;
  }

  bool single_quotes() {
    const auto end = rest_.find('\'', 1);
    if (end == std::string_view::npos) return false;
    add_text(rest_.substr(1, end - 1));
    take(end + 1);
    return true;
  }

  bool double_quotes() {
    add_text("");
    take(1);
    while (!rest_.empty() && rest_[0] != '"') {
      if (rest_[0] == '\\' && rest_.size() > 1) {
        if (rest_[1] == '\n') {
          // gone
        } else if (std::string_view("$`\"\\").find(rest_[1]) != std::string_view::npos) {
          add_text(rest_.substr(1, 1));
        } else {
          add_text(rest_.substr(0, 2));
        }
        take(2);
      } else if (rest_[0] == '$' || rest_[0] == '`') {
        if (!expansion(true)) return false;
      } else {
        add_text(rest_.substr(0, 1));
        take(1);
      }
    }
    if (rest_.empty()) return false;
    take(1);
    return true;
  }

  void escape() {
    if (rest_.size() > 1 && rest_[1] != '\n') add_text(rest_.substr(1, 1));
    take(std::min<std::size_t>(2, rest_.size()));
  }

  bool expansion(bool quoted) {
    if (rest_[0] == '`') return unknown_until(rest_.find('`', 1), quoted);
    if (rest_.size() < 2) {
      add_text("$");
      take(1);
      return true;
    }
    const char c = rest_[1];
    if (c == '(') return unknown_until(closing(1, '(', ')'), quoted);
    if (c == '\'' && !quoted) return unknown_until(rest_.find('\'', 2), quoted);
    if (c == '{') return braces(quoted);
    std::size_t length = 1;
    if (is_name_start(c)) {
      while (length < rest_.size() && is_name_char(rest_[length])) ++length;
    } else if (is_digit(c) || std::string_view("@*#?$!-").find(c) != std::string_view::npos) {
      length = 2;
    } else {
      add_text("$");
      take(1);
      return true;
    }
    add({ShellPiece::Kind::kVariable, std::string(rest_.substr(1, length - 1)), quoted, std::nullopt, false});
    take(length);
    return true;
  }

  // ${NAME}, ${NAME-word}, ${NAME:-word}; every other form is unknown.
  bool braces(bool quoted) {
    const auto end = closing(1, '{', '}');
    if (end == std::string_view::npos) return false;
    std::string_view inside = rest_.substr(2, end - 2);
    std::size_t length = 0;
    while (length < inside.size() && is_name_char(inside[length])) ++length;
    if (length == 0 && !inside.empty() && (inside[0] == '@' || inside[0] == '*')) length = 1;
    ShellPiece piece{ShellPiece::Kind::kVariable, std::string(inside.substr(0, length)), quoted, std::nullopt, false};
    inside.remove_prefix(length);
    bool readable = length > 0;
    if (!inside.empty()) {
      piece.fallback_if_empty = inside.starts_with(":-");
      readable = readable && (piece.fallback_if_empty || inside.starts_with("-"));
      if (readable) inside.remove_prefix(piece.fallback_if_empty ? 2 : 1);
      readable = readable && inside.find_first_of("$`'\"\\") == std::string_view::npos;
      piece.fallback = std::string(inside);
    }
    if (!readable) return unknown_until(end, quoted);
    add(std::move(piece));
    take(end + 1);
    return true;
  }

  // Position of the bracket that closes the one at `from`; quotes inside are not looked at.
  [[nodiscard]] std::size_t closing(std::size_t from, char open, char close) const {
    int depth = 0;
    for (std::size_t i = from; i < rest_.size(); ++i) {
      if (rest_[i] == open) ++depth;
      if (rest_[i] == close && --depth == 0) return i;
    }
    return std::string_view::npos;
  }

  bool unknown_until(std::size_t last, bool quoted) {
    if (last == std::string_view::npos) return false;
    add({ShellPiece::Kind::kUnknown, "", quoted, std::nullopt, false});
    take(last + 1);
    return true;
  }

  void add_text(std::string_view text) {
    word_open_ = true;
    if (!word_.empty() && word_.back().kind == ShellPiece::Kind::kText) {
      word_.back().text += text;
    } else {
      word_.push_back({ShellPiece::Kind::kText, std::string(text), false, std::nullopt, false});
    }
  }

  void add(ShellPiece piece) {
    word_open_ = true;
    word_.push_back(std::move(piece));
  }

  void end_word() {
    if (!word_open_) return;
    if (!drop_word_) command_.words.push_back(std::move(word_));
    drop_word_ = false;
    word_open_ = false;
    word_.clear();
  }

  void end_command(bool or_else_next) {
    end_word();
    drop_word_ = false;
    if (!command_.words.empty()) commands_.push_back(std::move(command_));
    command_ = {};
    command_.or_else = or_else_next;
  }

  void take(std::size_t count) { rest_.remove_prefix(std::min(count, rest_.size())); }

  std::string_view rest_;
  std::vector<ShellCommand> commands_;
  ShellCommand command_;
  ShellWord word_;
  bool word_open_ = false;
  bool drop_word_ = false;
  bool here_document_ = false;
  bool stopped_ = false;
};

}  // namespace

std::optional<std::vector<ShellCommand>> lex_shell(std::string_view script) {
  if (script.size() > kLongestScript) return std::nullopt;
  return Lexer(script).run();
}

}  // namespace antifreeze::engines
