#include "core/json_tree.h"

#include <algorithm>

#include "core/text.h"

namespace antifreeze::core {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0U | (code >> 6U));
    put(0x80U | (code & 0x3fU));
  } else if (code < 0x10000) {
    put(0xe0U | (code >> 12U));
    put(0x80U | ((code >> 6U) & 0x3fU));
    put(0x80U | (code & 0x3fU));
  } else {
    put(0xf0U | (code >> 18U));
    put(0x80U | ((code >> 12U) & 0x3fU));
    put(0x80U | ((code >> 6U) & 0x3fU));
    put(0x80U | (code & 0x3fU));
  }
}

/// What stands between the quotes of a string that the reader has accepted.
std::string decode(std::string_view inner) {
  std::string out;
  out.reserve(inner.size());
  const auto hex4 = [&](std::size_t at) { return static_cast<std::uint32_t>(*parse_uint(inner.substr(at, 4), 16)); };
  for (std::size_t at = 0; at < inner.size(); ++at) {
    if (inner[at] != '\\') {
      out += inner[at];
      continue;
    }
    const char c = inner[++at];
    if (c != 'u') {
      constexpr std::string_view kFrom = "bfnrt";
      constexpr std::string_view kTo = "\b\f\n\r\t";
      const auto found = kFrom.find(c);
      out += found == std::string_view::npos ? c : kTo[found];
      continue;
    }
    std::uint32_t code = hex4(at + 1);
    at += 4;
    const bool high = code >= 0xd800 && code < 0xdc00;
    if (high && inner.substr(at + 1, 2) == "\\u") {
      const auto low = hex4(at + 3);
      if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
        at += 6;
      }
    }
    append_utf8(out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
  }
  return out;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_but_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

/// Fills the index of a tree in one pass, without recursion.
class JsonReader {
 public:
  explicit JsonReader(JsonTree& tree) : tree_(tree), text_(tree.text_) {}

  Status read() {
    if (text_.size() > JsonTree::kMaxText) return fail("is larger than 8 MiB");
    if (std::string_view(text_).starts_with("\xef\xbb\xbf")) at_ = 3;
    if (auto read = value({}); !read) return read;
    while (!open_.empty()) {
      if (auto read = step(); !read) return read;
    }
    skip();
    return at_ == text_.size() ? Status() : fail("something follows the end");
  }

 private:
  struct Open {
    JsonNode node;
    JsonNode last;  ///< child, 0: none yet
  };
  struct Key {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  Error fail(std::string_view what) const {
    const auto before = std::string_view(text_).substr(0, std::min(at_, text_.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return {ErrorCode::kInvalid, "line " + std::to_string(line) + ", column " +
                                     std::to_string(before.size() - start + 1) + ": " + std::string(what)};
  }

  void skip() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  /// The next child of the innermost open array or object, or its end.
  Status step() {
    const JsonNode node = open_.back().node;
    const bool object = tree_.entries_[node].kind == JsonKind::kObject;
    const bool first = open_.back().last == 0;
    skip();
    if (peek() == (object ? '}' : ']')) {
      ++at_;
      tree_.entries_[node].end = static_cast<std::uint32_t>(at_);
      open_.pop_back();
      return {};
    }
    if (!first) {
      if (peek() != ',') return fail(object ? "',' or '}' expected" : "',' or ']' expected");
      ++at_;
      skip();
    }
    Key key;
    if (object) {
      if (peek() != '"') return fail("a key in quotes expected");
      key.begin = at_;
      if (auto read = string(); !read) return read;
      key.end = at_;
      skip();
      if (peek() != ':') return fail("':' expected");
      ++at_;
    }
    return value(key);
  }

  Status value(Key key) {
    skip();
    const auto node = static_cast<JsonNode>(tree_.entries_.size());
    JsonTree::Entry entry;
    entry.begin = static_cast<std::uint32_t>(at_);
    entry.key_begin = static_cast<std::uint32_t>(key.begin);
    entry.key_end = static_cast<std::uint32_t>(key.end);
    if (!open_.empty()) {
      auto& parent = open_.back();
      (parent.last == 0 ? tree_.entries_[parent.node].first : tree_.entries_[parent.last].next) = node;
      parent.last = node;
    }
    const char c = peek();
    if (c == '{' || c == '[') {
      if (open_.size() == JsonTree::kMaxDepth) return fail("is nested too deeply");
      entry.kind = c == '{' ? JsonKind::kObject : JsonKind::kArray;
      ++at_;
      tree_.entries_.push_back(entry);
      open_.push_back({node, 0});
      return {};
    }
    if (auto read = scalar(c, entry.kind); !read) return read;
    entry.end = static_cast<std::uint32_t>(at_);
    tree_.entries_.push_back(entry);
    return {};
  }

  Status scalar(char c, JsonKind& kind) {
    if (c == '"') {
      kind = JsonKind::kString;
      return string();
    }
    if (c == '-' || is_digit(c)) {
      kind = JsonKind::kNumber;
      return number();
    }
    for (const std::string_view word : {"true", "false", "null"}) {
      if (!std::string_view(text_).substr(at_).starts_with(word)) continue;
      at_ += word.size();
      kind = word == "null" ? JsonKind::kNull : JsonKind::kBool;
      return {};
    }
    return fail("a value expected");
  }

  Status string() {
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return {};
      }
      if (static_cast<unsigned char>(c) < 0x20) return fail("a control character in a string");
      if (c != '\\') continue;
      ++at_;
      if (peek() == 'u') {
        const auto digits = std::string_view(text_).substr(std::min(at_ + 1, text_.size()), 4);
        if (digits.size() != 4 || !parse_uint(digits, 16)) return fail("\\u takes four hex digits");
        at_ += 4;
      } else if (peek() == '\0' || std::string_view("\"\\/bfnrt").find(peek()) == std::string_view::npos) {
        return fail("an unknown escape in a string");
      }
    }
    return fail("the string has no end");
  }

  bool digits() {
    const auto start = at_;
    while (is_digit(peek())) ++at_;
    return at_ > start;
  }

  Status number() {
    if (peek() == '-') ++at_;
    if (peek() == '0') {
      ++at_;
    } else if (!digits()) {
      return fail("a digit expected");
    }
    if (peek() == '.') {
      ++at_;
      if (!digits()) return fail("a digit expected");
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digits()) return fail("a digit expected");
    }
    return {};
  }

  JsonTree& tree_;
  const std::string& text_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
};

Result<JsonTree> JsonTree::parse(std::string text) {
  JsonTree tree;
  tree.text_ = std::move(text);
  if (auto read = JsonReader(tree).read(); !read) return std::move(read).error();
  return tree;
}

std::string_view JsonTree::raw(JsonNode node) const {
  return std::string_view(text_).substr(entries_[node].begin, entries_[node].end - entries_[node].begin);
}

std::size_t JsonTree::key_begin(JsonNode node) const {
  return entries_[node].key_end != 0 ? entries_[node].key_begin : entries_[node].begin;
}

std::string_view JsonTree::separator(JsonNode member) const {
  const auto& entry = entries_[member];
  return entry.key_end == 0 ? ":" : std::string_view(text_).substr(entry.key_end, entry.begin - entry.key_end);
}

std::optional<JsonNode> JsonTree::first(JsonNode node) const {
  return entries_[node].first != 0 ? std::optional(entries_[node].first) : std::nullopt;
}

std::optional<JsonNode> JsonTree::next(JsonNode node) const {
  return entries_[node].next != 0 ? std::optional(entries_[node].next) : std::nullopt;
}

std::vector<JsonNode> JsonTree::children(JsonNode node) const {
  std::vector<JsonNode> all;
  for (auto child = first(node); child; child = next(*child)) all.push_back(*child);
  return all;
}

std::optional<JsonNode> JsonTree::member(JsonNode object, std::string_view name) const {
  std::optional<JsonNode> found;
  if (kind(object) != JsonKind::kObject) return found;
  for (auto child = first(object); child; child = next(*child)) {
    if (key(*child) != name) continue;
    if (found) return std::nullopt;
    found = child;
  }
  return found;
}

bool JsonTree::is_ambiguous(JsonNode object, std::string_view name) const {
  if (kind(object) != JsonKind::kObject) return false;
  int exact = 0;
  int other = 0;
  for (auto child = first(object); child; child = next(*child)) {
    const auto its = key(*child);
    if (its == name) {
      ++exact;
    } else if (same_but_case(its, name)) {
      ++other;
    }
  }
  return exact > 1 || other > 0;
}

std::optional<JsonNode> JsonTree::at(std::initializer_list<std::string_view> path) const {
  std::optional<JsonNode> node = root();
  for (const auto name : path) {
    node = member(*node, name);
    if (!node) return std::nullopt;
  }
  return node;
}

std::optional<std::string> JsonTree::string(JsonNode node) const {
  if (kind(node) != JsonKind::kString) return std::nullopt;
  const auto quoted = raw(node);
  return decode(quoted.substr(1, quoted.size() - 2));
}

std::string JsonTree::key(JsonNode node) const {
  const auto& entry = entries_[node];
  if (entry.key_end == 0) return "";
  return decode(std::string_view(text_).substr(entry.key_begin + 1, entry.key_end - entry.key_begin - 2));
}

std::optional<std::vector<std::string>> JsonTree::strings(JsonNode array) const {
  if (kind(array) != JsonKind::kArray) return std::nullopt;
  std::vector<std::string> all;
  for (auto child = first(array); child; child = next(*child)) {
    auto text = string(*child);
    if (!text) return std::nullopt;
    all.push_back(std::move(*text));
  }
  return all;
}

}  // namespace antifreeze::core
