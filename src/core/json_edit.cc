#include "core/json_edit.h"

#include <algorithm>

#include "core/json_line.h"
#include "core/text.h"

namespace antifreeze::core {
namespace {

std::string joined(std::span<const std::string> raws) {
  std::string out;
  for (const auto& raw : raws) out += (out.empty() ? "" : ",") + raw;
  return out;
}

}  // namespace

std::string json_quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

void JsonEdit::replace(JsonNode node, std::string_view raw) {
  changes_.push_back({tree_.begin(node), tree_.end(node) - tree_.begin(node), std::string(raw)});
}

void JsonEdit::insert_before(JsonNode element, std::span<const std::string> raws) {
  if (!raws.empty()) changes_.push_back({tree_.begin(element), 0, joined(raws) + ","});
}

void JsonEdit::append(JsonNode array, std::span<const std::string> raws) {
  if (raws.empty()) return;
  const auto children = tree_.children(array);
  if (children.empty()) {
    changes_.push_back({tree_.begin(array) + 1, 0, joined(raws)});
  } else {
    changes_.push_back({tree_.end(children.back()), 0, "," + joined(raws)});
  }
}

void JsonEdit::add_member(JsonNode object, std::string_view key, std::string_view raw) {
  const std::string_view text = tree_.text();
  const auto children = tree_.children(object);
  if (!children.empty()) {
    const auto last = children.back();
    // As the last member is set apart from what stands in front of it, and its value from its key.
    const auto key_at = tree_.key_begin(last);
    auto from = key_at;
    while (from > 0 && std::string_view(" \t\r\n").find(text[from - 1]) != std::string_view::npos) --from;
    changes_.push_back({tree_.end(last), 0,
                        "," + std::string(text.substr(from, key_at - from)) + json_quoted(key) +
                            std::string(tree_.separator(last)) + std::string(raw)});
    return;
  }
  if (one_line() && text.find_first_not_of(" \t\r\n{}") != std::string_view::npos) {
    changes_.push_back({tree_.begin(object) + 1, 0, json_quoted(key) + ":" + std::string(raw)});
    return;
  }
  const auto indent = indent_at(tree_.begin(object));
  const bool closes_on_own_line = tree_.raw(object).find('\n') != std::string_view::npos;
  changes_.push_back({tree_.begin(object) + 1, 0,
                      "\n" + indent + indent_step() + json_quoted(key) + ": " + std::string(raw) +
                          (closes_on_own_line ? "" : "\n" + indent)});
}

void JsonEdit::remove_member(JsonNode object, JsonNode member) {
  const auto children = tree_.children(object);
  const auto it = std::ranges::find(children, member);
  if (it == children.end()) return;
  if (it != children.begin()) {
    const auto from = tree_.end(*(it - 1));
    changes_.push_back({from, tree_.end(member) - from, ""});
  } else if (children.size() > 1) {
    const auto from = tree_.key_begin(member);
    changes_.push_back({from, tree_.key_begin(*(it + 1)) - from, ""});
  } else {
    const auto from = tree_.begin(object) + 1;
    changes_.push_back({from, tree_.end(object) - 1 - from, ""});
  }
}

std::string JsonEdit::apply() const {
  auto changes = changes_;
  std::ranges::stable_sort(changes, {}, &Change::at);
  std::string out;
  std::size_t at = 0;
  const std::string_view text = tree_.text();
  for (const auto& change : changes) {
    if (change.at > at) out += text.substr(at, change.at - at);
    out += change.text;
    at = std::max(at, change.at + change.length);
  }
  out += text.substr(at);
  return out;
}

std::string JsonEdit::indent_at(std::size_t at) const {
  const std::string_view text = tree_.text();
  const auto line = text.substr(0, at).rfind('\n');
  const auto start = line == std::string_view::npos ? 0 : line + 1;
  const auto end = text.find_first_not_of(" \t", start);
  return std::string(text.substr(start, std::min(end, at) - start));
}

std::string JsonEdit::indent_step() const {
  const auto first = tree_.first(tree_.root());
  if (!first || one_line()) return "    ";
  const auto indent = indent_at(tree_.key_begin(*first));
  return indent.empty() ? "    " : indent;
}

bool JsonEdit::one_line() const { return trim(tree_.text()).find('\n') == std::string_view::npos; }

}  // namespace antifreeze::core
