#include "fakevllm/json_text.h"

#include "core/json_line.h"
#include "core/text.h"

namespace antifreeze::fakevllm {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool is_string() {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == '"';
  }
  std::string string() {
    std::string out;
    ++at_;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\' || at_ + 1 >= text_.size()) {
        out += text_[at_];
        continue;
      }
      const char escaped = text_[++at_];
      if (escaped == 'n') {
        out += '\n';
      } else if (escaped == 't') {
        out += '\t';
      } else if (escaped == 'u') {
        out += '?';
        at_ += 4;
      } else {
        out += escaped;
      }
    }
    if (at_ < text_.size()) ++at_;
    return out;
  }
  /// Any other value, unparsed.
  std::string raw() {
    skip_blanks();
    const auto begin = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        (void)string();
        --at_;
      } else if (c == '[' || c == '{') {
        ++depth;
      } else if (c == ']' || c == '}') {
        if (depth-- == 0) break;
      } else if (c == ',' && depth == 0) {
        break;
      }
    }
    if (at_ > text_.size()) at_ = text_.size();
    return std::string(core::trim(text_.substr(begin, at_ - begin)));
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::map<std::string, std::string, std::less<>> json_fields(std::string_view text) {
  std::map<std::string, std::string, std::less<>> fields;
  Scanner scanner(text);
  if (!scanner.take('{')) return fields;
  while (scanner.is_string()) {
    std::string key = scanner.string();
    if (!scanner.take(':')) break;
    fields.insert_or_assign(std::move(key), scanner.is_string() ? scanner.string() : scanner.raw());
    if (!scanner.take(',')) break;
  }
  return fields;
}

std::string json_string(std::string_view text) {
  std::string out;
  core::append_json_string(out, text);
  return out;
}

}  // namespace antifreeze::fakevllm
