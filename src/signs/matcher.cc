#include "signs/matcher.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <utility>

namespace antifreeze::signs {
namespace {

constexpr std::size_t kMaxLooked = 4096;
// The automaton over all patterns grows with what it meets; beyond this it is thrown away and built anew.
constexpr std::int64_t kSetMemory = std::int64_t{24} << 20;
constexpr std::int64_t kPatternMemory = std::int64_t{1} << 20;
constexpr int kMaxGroups = 12;

// Bytes, not characters: a log may hold anything, and no pattern of ours needs more.
RE2::Options options(std::int64_t memory) {
  RE2::Options out;
  out.set_log_errors(false);
  out.set_encoding(RE2::Options::EncodingLatin1);
  out.set_max_mem(memory);
  return out;
}

}  // namespace

struct Matcher::Compiled {
  const Catalogue* catalogue = nullptr;
  std::unique_ptr<RE2::Set> all;
  std::vector<std::unique_ptr<RE2>> each;
  std::vector<std::vector<std::string>> groups;  // names by number, empty for unnamed ones
  mutable std::vector<int> found;                // kept, so that a line costs no allocation
};

Matcher::Matcher(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;
Matcher::~Matcher() = default;

core::Result<Matcher> Matcher::build(const Catalogue& catalogue) {
  auto compiled = std::make_unique<Compiled>();
  compiled->catalogue = &catalogue;
  compiled->all = std::make_unique<RE2::Set>(options(kSetMemory), RE2::UNANCHORED);
  for (const Sign& sign : catalogue.signs) {
    std::string error;
    if (compiled->all->Add(sign.pattern, &error) < 0) {
      return core::Error(core::ErrorCode::kInvalid, "sign " + sign.id + ": " + error);
    }
    compiled->each.push_back(std::make_unique<RE2>(sign.pattern, options(kPatternMemory)));
    std::vector<std::string> names(static_cast<std::size_t>(compiled->each.back()->NumberOfCapturingGroups()) + 1);
    for (const auto& [number, name] : compiled->each.back()->CapturingGroupNames()) {
      names[static_cast<std::size_t>(number)] = name;
    }
    compiled->groups.push_back(std::move(names));
  }
  if (!compiled->all->Compile()) {
    return core::Error(core::ErrorCode::kFull, "the signs are too many for one automaton; split long alternatives");
  }
  return Matcher(std::move(compiled));
}

void Matcher::match(const readings::LogEntry& entry, std::vector<Match>& out) const {
  out.clear();
  const re2::StringPiece text(entry.message.data(), std::min(entry.message.size(), kMaxLooked));
  std::vector<int>& found = compiled_->found;
  found.clear();
  RE2::Set::ErrorInfo failed = {};
  if (!compiled_->all->Match(text, &found, &failed)) {
    if (failed.kind == RE2::Set::kNoError) return;
    // The automaton ran out of its memory on this line: ask the patterns one by one.
    for (std::size_t i = 0; i < compiled_->each.size(); ++i) {
      if (RE2::PartialMatch(text, *compiled_->each[i])) found.push_back(static_cast<int>(i));
    }
  }
  std::sort(found.begin(), found.end());
  for (const int number : found) {
    const auto index = static_cast<std::size_t>(number);
    const Sign& sign = compiled_->catalogue->signs[index];
    if (!sign.origins.empty() && entry.origin != readings::LogOrigin::kUnknown &&
        std::find(sign.origins.begin(), sign.origins.end(), entry.origin) == sign.origins.end()) {
      continue;
    }
    Match match;
    match.sign = index;
    const std::vector<std::string>& names = compiled_->groups[index];
    const int groups = std::min(static_cast<int>(names.size()), kMaxGroups);
    re2::StringPiece pieces[kMaxGroups];
    if (groups > 1 && compiled_->each[index]->Match(text, 0, text.size(), RE2::UNANCHORED, pieces, groups)) {
      for (int group = 1; group < groups; ++group) {
        const auto& name = names[static_cast<std::size_t>(group)];
        if (name.empty() || pieces[group].data() == nullptr) continue;
        match.fields.emplace_back(name, std::string_view(pieces[group].data(), pieces[group].size()));
      }
    }
    out.push_back(std::move(match));
  }
}

}  // namespace antifreeze::signs
