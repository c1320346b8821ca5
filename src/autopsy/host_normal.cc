#include "autopsy/host_normal.h"

#include <algorithm>

#include "autopsy/end_marks.h"

namespace antifreeze::autopsy {

HostNormal::HostNormal(const std::vector<Boot>& boots, const signs::Catalogue& catalogue) {
  for (const Boot& boot : boots) {
    if (boot.is_capture_kernel || !boot.in_journal) continue;
    // The running boot has not ended badly so far.
    const bool good = boot.is_running || end_marks(boot, catalogue).stopped;
    if (good) good_.push_back(&boot);
    for (const Tally& tally : boot.tallies) {
      Seen& seen = seen_[key(tally)];
      (good ? seen.good : seen.bad).push_back(&boot);
      if (good) seen.bursts.emplace_back(&boot, tally.longest_burst);
    }
  }
}

std::size_t HostNormal::good_boots(const Boot& boot) const {
  return static_cast<std::size_t>(
      std::count_if(good_.begin(), good_.end(), [&](const Boot* one) { return one != &boot; }));
}

double HostNormal::rarity(const Tally& tally, const Boot& in) const {
  const std::size_t all = good_boots(in);
  const auto at = seen_.find(key(tally));
  if (all == 0 || at == seen_.end()) return 1;
  const auto with =
      std::count_if(at->second.good.begin(), at->second.good.end(), [&](const Boot* one) { return one != &in; });
  return std::max(0.02, 1 - static_cast<double>(with) / static_cast<double>(all));
}

std::uint64_t HostNormal::usual_burst(const Tally& tally, const Boot& in) const {
  std::uint64_t most = 0;
  if (const auto at = seen_.find(key(tally)); at != seen_.end()) {
    for (const auto& [boot, burst] : at->second.bursts) {
      if (boot != &in) most = std::max(most, burst);
    }
  }
  return most;
}

std::size_t HostNormal::bad_boots_with(const Tally& tally, const Boot& in) const {
  const auto at = seen_.find(key(tally));
  if (at == seen_.end()) return 0;
  return static_cast<std::size_t>(
      std::count_if(at->second.bad.begin(), at->second.bad.end(), [&](const Boot* one) { return one != &in; }));
}

}  // namespace antifreeze::autopsy
