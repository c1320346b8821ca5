#include "engines/args.h"

#include <algorithm>
#include <string>

namespace antifreeze::engines {
namespace {

bool looks_like_option(std::string_view text) { return text.size() > 1 && text[0] == '-'; }

// "--gpu_memory_utilization=0.5" -> "--gpu-memory-utilization" and where the '=' is.
std::string option_name(std::string_view text, std::size_t& equals) {
  equals = text.find('=');
  std::string name(text.substr(0, equals));
  if (name.starts_with("--")) std::replace(name.begin() + 2, name.end(), '_', '-');
  return name;
}

}  // namespace

ParsedArgs::ParsedArgs(std::span<const Word> args, std::span<const Flag> flags, Grammar grammar)
    : words_(args), flags_(flags), grammar_(grammar) {
  if (!args.empty() && !looks_like_option(args[0].text)) first_operand_ = &args[0];
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Word& word = args[i];
    if (word.certainty == Certainty::kAnyWords) last_unknown_ = i;
    if (word.text == "--" && word.known()) break;
    if (!looks_like_option(word.text)) continue;
    std::size_t equals = 0;
    const Flag* flag = match(option_name(word.text, equals));
    if (flag == nullptr) continue;
    Found found{flag->key, i, std::nullopt};
    if (equals != std::string_view::npos) {
      found.value = Word(word.text.substr(equals + 1), word.certainty);
    } else if (!word.known()) {
      found.value = Word("", word.certainty);
    } else if (flag->takes_value && i + 1 < args.size() && !looks_like_option(args[i + 1].text)) {
      found.value = args[++i];
      if (found.value->certainty == Certainty::kAnyWords) last_unknown_ = i;
    }
    found_.push_back(std::move(found));
  }
}

const Word* ParsedArgs::value(int key) const {
  const Found* found = find(key);
  return found != nullptr && found->value ? &*found->value : nullptr;
}

bool ParsedArgs::may_be_overridden(int key) const {
  if (!last_unknown_) return false;
  const Found* found = find(key);
  return found == nullptr || found->at < *last_unknown_;
}

const ParsedArgs::Found* ParsedArgs::find(int key) const {
  const auto it = std::find_if(found_.rbegin(), found_.rend(), [&](const Found& f) { return f.key == key; });
  return it != found_.rend() ? &*it : nullptr;
}

const Flag* ParsedArgs::match(std::string_view name) const {
  const Flag* only = nullptr;
  for (const Flag& flag : flags_) {
    if (flag.name == name) return &flag;
    if (grammar_ != Grammar::kPrefixes || name.size() < 3 || !name.starts_with("--")) continue;
    if (!flag.name.starts_with(name)) continue;
    if (only != nullptr && (only->key != flag.key || flag.key == kNeighbour)) {
      // Ambiguous unless a later row is the exact name: the engine would refuse to start.
      const bool exact = std::any_of(flags_.begin(), flags_.end(), [&](const Flag& f) { return f.name == name; });
      if (!exact) return nullptr;
    }
    only = &flag;
  }
  return only;
}

}  // namespace antifreeze::engines
