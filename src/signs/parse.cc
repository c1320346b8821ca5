#include "signs/parse.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/text.h"
#include "core/toml.h"

namespace antifreeze::signs {
namespace {

using core::Error;
using core::ErrorCode;
using readings::LogOrigin;

constexpr std::size_t kMaxEntries = 4096;
constexpr std::size_t kMaxText = 4000;
constexpr std::int64_t kMaxPatternMemory = 1 << 20;

std::string at(const std::string& path, const toml::source_region& where) {
  return path + ":" + std::to_string(where.begin.line) + ":" + std::to_string(where.begin.column);
}

template <typename Value>
struct Word {
  std::string_view text;
  Value value;
};

constexpr std::array kSeverities = {
    Word<Severity>{"info", Severity::kInfo}, Word<Severity>{"warning", Severity::kWarning},
    Word<Severity>{"error", Severity::kError}, Word<Severity>{"critical", Severity::kCritical}};
constexpr std::array kRoles = {Word<Role>{"cause", Role::kCause},       Word<Role>{"consequence", Role::kConsequence},
                               Word<Role>{"context", Role::kContext},   Word<Role>{"clean", Role::kClean},
                               Word<Role>{"previous", Role::kPrevious}, Word<Role>{"blind", Role::kBlind},
                               Word<Role>{"change", Role::kChange},     Word<Role>{"note", Role::kNote},
                               Word<Role>{"benign", Role::kBenign}};
constexpr std::array kOrigins = {
    Word<LogOrigin>{"kernel", LogOrigin::kKernel}, Word<LogOrigin>{"journald", LogOrigin::kJournald},
    Word<LogOrigin>{"init", LogOrigin::kInit}, Word<LogOrigin>{"service", LogOrigin::kService}};
constexpr std::array kTermKinds = {Word<std::string_view>{"ending", "ending"}, Word<std::string_view>{"cause", "cause"},
                                   Word<std::string_view>{"test", "test"},
                                   Word<std::string_view>{"evidence", "evidence"}};

// One [[…]] table. The first thing that is wrong is kept; later reads do nothing.
class Entry {
 public:
  Entry(const toml::table& table, const std::string& path) : table_(table), path_(path) {}

  std::string text(std::string_view key, bool needed) {
    const toml::node* node = find(key, needed);
    if (node == nullptr) return "";
    const auto value = node->value_exact<std::string>();
    if (!value) return fail(*node, std::string(key) + " is no text; put it in quotes"), "";
    if (value->size() > kMaxText) return fail(*node, std::string(key) + " is longer than 4000 bytes; shorten it"), "";
    if (needed && value->empty()) return fail(*node, std::string(key) + " is empty; fill it in"), "";
    return *value;
  }

  std::vector<std::string> texts(std::string_view key, bool needed) {
    std::vector<std::string> out;
    const toml::node* node = find(key, needed);
    if (node == nullptr) return out;
    const toml::array* array = node->as_array();
    if (array == nullptr) return fail(*node, std::string(key) + " is no list; write [\"…\"]"), out;
    for (const toml::node& item : *array) {
      const auto value = item.value_exact<std::string>();
      if (!value || value->size() > kMaxText) return fail(item, std::string(key) + " holds what is no text"), out;
      out.push_back(*value);
    }
    if (needed && out.empty()) fail(*node, std::string(key) + " is empty; give at least one");
    return out;
  }

  double fraction(std::string_view key) {
    const toml::node* node = find(key, false);
    if (node == nullptr) return 0;
    const auto value = node->value<double>();
    if (!value || !(*value >= 0 && *value <= 1)) return fail(*node, std::string(key) + " is no number from 0 to 1"), 0;
    return *value;
  }

  int number(std::string_view key) {
    const toml::node* node = find(key, true);
    if (node == nullptr) return 0;
    const auto value = node->value_exact<std::int64_t>();
    if (!value || *value < 0 || *value > 9999) return fail(*node, std::string(key) + " is no number from 0 to 9999"), 0;
    return static_cast<int>(*value);
  }

  template <typename Value, std::size_t N>
  Value word(std::string_view key, const std::array<Word<Value>, N>& words) {
    const std::string text_value = text(key, true);
    return pick(key, text_value, words);
  }

  template <typename Value, std::size_t N>
  Value pick(std::string_view key, std::string_view given, const std::array<Word<Value>, N>& words) {
    std::string known;
    for (const auto& one : words) {
      if (one.text == given) return one.value;
      known += (known.empty() ? "" : ", ") + std::string(one.text);
    }
    if (const toml::node* node = table_.get(key)) {
      fail(*node, std::string(key) + " \"" + core::printable(given, 40) + "\" is unknown; there are " + known);
    }
    return words[0].value;
  }

  // After all keys were asked for: what is left over is a spelling mistake.
  core::Status finish() {
    for (const auto& [key, node] : table_) {
      if (std::find(asked_.begin(), asked_.end(), key.str()) != asked_.end()) continue;
      std::string_view nearest;
      for (const std::string& known : asked_) {
        if (nearest.empty() || core::edit_distance(known, key.str()) < core::edit_distance(nearest, key.str())) {
          nearest = known;
        }
      }
      fail(at(path_, key.source()),
           "unknown key \"" + core::printable(key.str(), 40) + "\"; did you mean \"" + std::string(nearest) + "\"?");
      break;
    }
    if (error_) return std::move(*error_);
    return {};
  }

  void fail(const toml::node& node, const std::string& what) { fail(at(path_, node.source()), what); }
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] const toml::table& table() const { return table_; }

 private:
  const toml::node* find(std::string_view key, bool needed) {
    asked_.emplace_back(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr && needed) {
      fail(at(path_, table_.source()), "this entry has no \"" + std::string(key) + "\"; add it");
    }
    return node;
  }

  void fail(const std::string& where, const std::string& what) {
    if (!error_) error_ = Error(ErrorCode::kInvalid, where + ": " + what);
  }

  const toml::table& table_;
  const std::string& path_;
  std::vector<std::string> asked_;
  std::optional<Error> error_;
};

// Calls `take` for each [[name]] of the file; any other key at the top is an error.
template <typename Take>
core::Status for_each(std::string_view content, const std::string& path, std::string_view name, Take take) {
  const toml::parse_result parsed = toml::parse(content, path);
  if (!parsed) {
    return Error(ErrorCode::kInvalid, at(path, parsed.error().source()) + ": " +
                                          core::printable(parsed.error().description(), 200) + "; mend the TOML");
  }
  for (const auto& [key, node] : parsed.table()) {
    const toml::array* entries = node.as_array();
    if (key.str() != name || entries == nullptr) {
      return Error(ErrorCode::kInvalid, at(path, key.source()) + ": unexpected \"" + core::printable(key.str(), 40) +
                                            "\"; this file holds [[" + std::string(name) + "]] entries only");
    }
    if (entries->size() > kMaxEntries) return Error(ErrorCode::kFull, path + ": more than 4096 entries; split it");
    for (const toml::node& item : *entries) {
      const toml::table* table = item.as_table();
      if (table == nullptr)
        return Error(ErrorCode::kInvalid, at(path, item.source()) + ": no table; write [[" + std::string(name) + "]]");
      Entry entry(*table, path);
      take(entry);
      if (auto done = entry.finish(); !done) return done;
    }
  }
  return {};
}

void check_pattern(Entry& entry, const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxPatternMemory);
  options.set_encoding(RE2::Options::EncodingLatin1);
  const RE2 compiled(pattern, options);
  if (compiled.ok()) return;
  if (const toml::node* node = entry.table().get("pattern")) {
    entry.fail(*node, "the pattern is no regular expression of RE2: " + core::printable(compiled.error(), 120));
  }
}

}  // namespace

core::Status parse_signs(std::string_view content, const std::string& path, Catalogue& into) {
  return for_each(content, path, "sign", [&](Entry& entry) {
    Sign sign;
    sign.id = entry.text("id", true);
    const std::size_t slash = path.find_last_of('/');
    sign.subsystem = path.substr(slash == std::string::npos ? 0 : slash + 1);
    if (sign.subsystem.ends_with(".toml")) sign.subsystem.resize(sign.subsystem.size() - 5);
    sign.pattern = entry.text("pattern", true);
    for (const std::string& origin : entry.texts("origins", false)) {
      sign.origins.push_back(entry.pick("origins", origin, kOrigins));
    }
    sign.role = entry.word("role", kRoles);
    sign.severity = entry.word("severity", kSeverities);
    sign.failure_class = entry.text("class", false);
    sign.ending = entry.text("ending", false);
    sign.strength = entry.fraction("strength");
    sign.parents = entry.texts("parents", false);
    sign.meaning = entry.text("meaning", true);
    sign.confounders = entry.text("confounders", false);
    sign.source = entry.text("source", true);
    sign.matching = entry.texts("matching", true);
    sign.not_matching = entry.texts("not_matching", true);
    if (!entry.failed()) check_pattern(entry, sign.pattern);
    into.signs.push_back(std::move(sign));
  });
}

core::Status parse_xids(std::string_view content, const std::string& path, Catalogue& into) {
  return for_each(content, path, "xid", [&](Entry& entry) {
    Xid xid;
    xid.code = entry.number("code");
    xid.name = entry.text("name", true);
    xid.meaning = entry.text("meaning", true);
    xid.severity = entry.word("severity", kSeverities);
    xid.role = entry.word("role", kRoles);
    xid.failure_class = entry.text("class", true);
    xid.ending = entry.text("ending", false);
    xid.strength = entry.fraction("strength");
    xid.fix = entry.text("fix", false);
    xid.source = entry.text("source", true);
    const int code = xid.code;
    if (!entry.failed() && !into.xids.emplace(code, std::move(xid)).second) {
      entry.fail(*entry.table().get("code"), "Xid " + std::to_string(code) + " stands twice; remove one");
    }
  });
}

core::Status parse_fixes(std::string_view content, const std::string& path, Catalogue& into) {
  return for_each(content, path, "fix", [&](Entry& entry) {
    Fix fix;
    fix.id = entry.text("id", true);
    fix.failure_classes = entry.texts("helps", true);
    fix.text = entry.text("text", true);
    fix.text_ja = entry.text("text_ja", false);
    fix.text_zh = entry.text("text_zh", false);
    fix.commands = entry.texts("commands", false);
    fix.risk = entry.text("risk", true);
    fix.source = entry.text("source", true);
    into.fixes.push_back(std::move(fix));
  });
}

core::Status parse_terms(std::string_view content, const std::string& path, Catalogue& into) {
  return for_each(content, path, "term", [&](Entry& entry) {
    Term term;
    term.id = entry.text("id", true);
    term.kind = entry.word("kind", kTermKinds);
    term.meaning = entry.text("meaning", true);
    const bool twice = std::any_of(into.terms.begin(), into.terms.end(),
                                   [&](const Term& one) { return one.id == term.id && one.kind == term.kind; });
    if (!entry.failed() && twice) {
      entry.fail(*entry.table().get("id"), "the " + term.kind + " \"" + term.id + "\" stands twice; remove one");
    }
    into.terms.push_back(std::move(term));
  });
}

}  // namespace antifreeze::signs
