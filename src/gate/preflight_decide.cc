#include "gate/preflight_decide.h"

#include <cmath>
#include <cstdio>

#include "core/units.h"

namespace antifreeze::gate {
namespace {

PreflightVerdict unknown(const char* why) {
  PreflightVerdict verdict;
  verdict.text = why;
  return verdict;
}

/// "0.40", "0.875": two digits, more only when they say something.
std::string share_text(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", share);
  std::string out = text;
  while (out.size() > 4 && out.ends_with('0')) out.pop_back();
  return out;
}

std::uint64_t add_capped(std::uint64_t a, std::uint64_t b) {
  return a > ~std::uint64_t{0} - b ? ~std::uint64_t{0} : a + b;
}

}  // namespace

PreflightVerdict preflight(const PreflightInput& input) {
  if (!input.unified) return unknown("GPU memory is not the host's: how much is free cannot be read here");
  if (!input.share && !input.bytes) return unknown("the command line states no share of memory");
  const auto available = input.available ? input.available : input.free;
  if (!available) return unknown("how much memory is available cannot be read");
  std::uint64_t asked = 0;
  std::string what;
  if (input.bytes) {
    asked = *input.bytes;
    what = core::format_bytes(asked);
  } else {
    // Written so that NaN fails too.
    if (!(*input.share > 0 && *input.share <= 1)) return unknown("the stated share is not between 0 and 1");
    if (!input.total) return unknown("the total memory cannot be read");
    asked = static_cast<std::uint64_t>(std::ceil(*input.share * static_cast<double>(*input.total)));
    what =
        core::format_bytes(asked) + " (" + share_text(*input.share) + " of " + core::format_bytes(*input.total) + ")";
  }
  PreflightVerdict verdict;
  verdict.needed = add_capped(asked, input.reserve);
  verdict.available = *available;
  verdict.text = "needs " + what;
  if (input.reserve != 0) verdict.text += " + reserve " + core::format_bytes(input.reserve);
  if (input.total && verdict.needed > *input.total) {
    verdict.answer = PreflightAnswer::kNever;
    verdict.missing = verdict.needed - *input.total;
    verdict.text += ", which can never fit into the " + core::format_bytes(*input.total) +
                    " of this machine: too much by " + core::format_bytes(verdict.missing);
    return verdict;
  }
  verdict.text += ", " + core::format_bytes(*available) + " available";
  if (verdict.needed <= *available) {
    verdict.answer = PreflightAnswer::kFits;
    return verdict;
  }
  verdict.answer = PreflightAnswer::kShort;
  verdict.missing = verdict.needed - *available;
  verdict.text += ": short by " + core::format_bytes(verdict.missing);
  return verdict;
}

}  // namespace antifreeze::gate
