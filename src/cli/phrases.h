// What is said to people, in each language. Ids, log lines, commands and JSON are the same in all of them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "signs/sign.h"

namespace antifreeze::cli {

enum class Lang : std::uint8_t { kEn, kJa, kZh };

/// "en", "ja" or "zh"; nullopt for anything else.
std::optional<Lang> lang_of(std::string_view name);
/// The BCP 47 tag that a page's `lang` attribute has: "en", "ja", "zh-Hans".
std::string_view lang_tag(Lang lang);

/// One phrase. `{0}` to `{9}` stand for what is filled in; each language has the same ones, in its own order.
struct Phrase {
  std::string_view id, en, ja, zh;

  [[nodiscard]] std::string_view in(Lang lang) const { return lang == Lang::kJa ? ja : lang == Lang::kZh ? zh : en; }
};

/// All of them, in their groups.
std::vector<std::span<const Phrase>> phrases();

/// The phrase `id` with `values` filled in. An id that there is not comes back as it is.
std::string say(Lang lang, std::string_view id, std::initializer_list<std::string> values = {});

/// A sentence of autopsy's, in `lang`. Autopsy speaks English, and in the same lists it hands on log lines: what is no
/// sentence of `group` ("cause", "unknown", ...: the id's part before the dot) is nullopt. What was filled in stays as
/// it is, unless it is a sentence of the group itself.
std::optional<std::string> sentence(Lang lang, std::string_view group, std::string_view english);
/// The same; what is no sentence stays as it is.
std::string sentence_or_line(Lang lang, std::string_view group, std::string_view english);

/// What to do, in `lang`; in English where the knowledge has nothing else.
const std::string& fix_text(Lang lang, const signs::Fix& fix);

}  // namespace antifreeze::cli
