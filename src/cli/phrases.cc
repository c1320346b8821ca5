#include "cli/phrases.h"

#include <algorithm>
#include <array>

#include "cli/phrase_tables.h"

namespace antifreeze::cli {
namespace {

/// The next "{N}" in `text` from `from` on: where it is and its number; `at` is npos when there is none.
struct Hole {
  std::size_t at = std::string_view::npos;
  std::size_t number = 0;
};

Hole next_hole(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('{', from); at != std::string_view::npos; at = text.find('{', at + 1)) {
    if (at + 2 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '9' && text[at + 2] == '}') {
      return {at, static_cast<std::size_t>(text[at + 1] - '0')};
    }
  }
  return {};
}

using Values = std::array<std::string_view, 10>;

template <typename Each>
std::string fill(std::string_view text, const Each& value) {
  std::string out;
  std::size_t from = 0;
  for (Hole hole = next_hole(text, 0); hole.at != std::string_view::npos; hole = next_hole(text, from)) {
    out.append(text.substr(from, hole.at - from));
    out.append(value(hole.number));
    from = hole.at + 3;
  }
  return out.append(text.substr(from));
}

/// Whether `text` is `pattern` with something in each of its holes, and what. Each hole takes as little as it can, the
/// last one before the end of the pattern all that is left: linear, and right as long as what is filled in does not
/// contain the words behind it.
bool takes_apart(std::string_view pattern, std::string_view text, Values& values) {
  Hole hole = next_hole(pattern, 0);
  if (hole.at == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, hole.at))) return false;
  text.remove_prefix(hole.at);
  for (;;) {
    const std::size_t from = hole.at + 3;
    const Hole next = next_hole(pattern, from);
    const std::string_view behind = pattern.substr(from, next.at == std::string_view::npos ? next.at : next.at - from);
    std::size_t end = text.size();
    if (next.at != std::string_view::npos) {
      end = text.find(behind, 1);
    } else if (text.ends_with(behind)) {
      end = text.size() - behind.size();
    } else {
      return false;
    }
    if (end == std::string_view::npos || end == 0 || end > text.size()) return false;
    values[hole.number] = text.substr(0, end);
    text.remove_prefix(end + behind.size());
    if (next.at == std::string_view::npos) return text.empty();
    hole = next;
  }
}

std::optional<std::string> translate(Lang lang, std::string_view group, std::string_view english, bool inner) {
  for (const auto table : {boot_sentences(), read_sentences()}) {
    for (const Phrase& phrase : table) {
      if (phrase.id.size() <= group.size() || !phrase.id.starts_with(group) || phrase.id[group.size()] != '.') continue;
      Values values;
      if (!takes_apart(phrase.en, english, values)) continue;
      return fill(phrase.in(lang), [&](std::size_t number) {
        const std::string_view value = values[number];
        const auto told = inner ? std::nullopt : translate(lang, group, value, true);
        return told ? *told : std::string(value);
      });
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Lang> lang_of(std::string_view name) {
  if (name == "en") return Lang::kEn;
  if (name == "ja") return Lang::kJa;
  if (name == "zh") return Lang::kZh;
  return std::nullopt;
}

std::string_view lang_tag(Lang lang) { return lang == Lang::kJa ? "ja" : lang == Lang::kZh ? "zh-Hans" : "en"; }

std::vector<std::span<const Phrase>> phrases() {
  return {ending_phrases(), page_phrases(), html_phrases(), boot_sentences(), read_sentences()};
}

std::string say(Lang lang, std::string_view id, std::initializer_list<std::string> values) {
  for (const auto table : {ending_phrases(), page_phrases(), html_phrases()}) {
    const auto at = std::ranges::find(table, id, &Phrase::id);
    if (at == table.end()) continue;
    return fill(at->in(lang),
                [&](std::size_t number) { return number < values.size() ? std::data(values)[number] : std::string(); });
  }
  return std::string(id);
}

std::optional<std::string> sentence(Lang lang, std::string_view group, std::string_view english) {
  return translate(lang, group, english, false);
}

std::string sentence_or_line(Lang lang, std::string_view group, std::string_view english) {
  const auto told = sentence(lang, group, english);
  return told ? *told : std::string(english);
}

const std::string& fix_text(Lang lang, const signs::Fix& fix) {
  const std::string& text = lang == Lang::kJa ? fix.text_ja : lang == Lang::kZh ? fix.text_zh : fix.text;
  return text.empty() ? fix.text : text;
}

}  // namespace antifreeze::cli
