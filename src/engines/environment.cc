#include "engines/environment.h"

#include <algorithm>

namespace antifreeze::engines {

std::optional<Word> Environment::get(std::string_view name) const {
  const auto it = std::find_if(changes_.begin(), changes_.end(), [&](const Change& c) { return c.name == name; });
  if (it != changes_.end()) return it->value;
  if (empty_base_ || !*base_) return std::nullopt;
  const auto value = (*base_)(name);
  if (!value) return std::nullopt;
  return Word(std::string(*value));
}

std::optional<std::string> Environment::known(std::string_view name) const {
  auto word = get(name);
  if (!word || !word->known()) return std::nullopt;
  return std::move(word->text);
}

void Environment::set(std::string_view name, Word value) { change(name, std::move(value)); }

void Environment::unset(std::string_view name) { change(name, std::nullopt); }

void Environment::clear() {
  empty_base_ = true;
  changes_.clear();
}

void Environment::change(std::string_view name, std::optional<Word> value) {
  const auto it = std::find_if(changes_.begin(), changes_.end(), [&](const Change& c) { return c.name == name; });
  if (it != changes_.end()) {
    it->value = std::move(value);
  } else {
    changes_.push_back({std::string(name), std::move(value)});
  }
}

std::size_t assignment_at(std::string_view text) {
  const auto is_name = [](char c, bool first) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (!first && c >= '0' && c <= '9');
  };
  std::size_t at = 0;
  while (at < text.size() && is_name(text[at], at == 0)) ++at;
  return at < text.size() && text[at] == '=' ? at : 0;
}

}  // namespace antifreeze::engines
