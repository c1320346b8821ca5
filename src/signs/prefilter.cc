#include "signs/prefilter.h"

#include <re2/re2.h>

#include <string>

namespace antifreeze::signs {
namespace {

constexpr std::int64_t kMemory = std::int64_t{32} << 20;

}  // namespace

struct Prefilter::Compiled {
  std::unique_ptr<RE2> any;
};

Prefilter::Prefilter(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Prefilter::Prefilter(Prefilter&&) noexcept = default;
Prefilter& Prefilter::operator=(Prefilter&&) noexcept = default;
Prefilter::~Prefilter() = default;

std::string without_anchors(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      out += c;
      out += pattern[++i];
      continue;
    }
    if (c == '[' && !in_class) {
      in_class = true;
      out += c;
      // A ']' that comes first is a member, and '^' there turns the class around.
      if (i + 1 < pattern.size() && pattern[i + 1] == '^') out += pattern[++i];
      if (i + 1 < pattern.size() && pattern[i + 1] == ']') out += pattern[++i];
      continue;
    }
    if (c == ']') in_class = false;
    // An empty group may be repeated, nothing may not.
    if (!in_class && (c == '^' || c == '$')) {
      out += "(?:)";
    } else {
      out += c;
    }
  }
  return out;
}

core::Result<Prefilter> Prefilter::build(const Catalogue& catalogue, std::string_view also) {
  std::string all(also);
  for (const Sign& sign : catalogue.signs) {
    if (!all.empty()) all += '|';
    all += "(?:" + without_anchors(sign.pattern) + ")";
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(RE2::Options::EncodingLatin1);  // bytes, as the matcher looks at them
  options.set_max_mem(kMemory);
  options.set_never_capture(true);
  options.set_never_nl(true);  // a match stays within its line
  auto compiled = std::make_unique<Compiled>();
  compiled->any = std::make_unique<RE2>(all, options);
  if (!compiled->any->ok()) {
    return core::Error(core::ErrorCode::kInvalid, "the signs do not go into one pattern: " + compiled->any->error());
  }
  return Prefilter(std::move(compiled));
}

std::size_t Prefilter::first_candidate(std::string_view lines) const {
  const re2::StringPiece text(lines.data(), lines.size());
  re2::StringPiece found;
  if (!compiled_->any->Match(text, 0, text.size(), RE2::UNANCHORED, &found, 1)) return std::string_view::npos;
  const auto at = static_cast<std::size_t>(found.data() - lines.data());
  if (at == 0) return 0;
  const auto before = lines.rfind('\n', at - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

}  // namespace antifreeze::signs
