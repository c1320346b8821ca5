#include "gate/settle_decide.h"

#include <algorithm>
#include <limits>

#include "core/units.h"

namespace antifreeze::gate {
namespace {

using core::Nanos;

constexpr std::int64_t kSlicesPerWindow = 64;
constexpr std::uint64_t kNothing = std::numeric_limits<std::uint64_t>::max();

void widen(std::uint64_t& low, std::uint64_t& high, std::optional<std::uint64_t> value) {
  if (!value) return;
  low = std::min(low, *value);
  high = std::max(high, *value);
}

}  // namespace

std::uint64_t settle_tolerance(std::optional<std::uint64_t> total) {
  return std::max(64 * core::kMiB, total.value_or(0) / 500);
}

SettleWatch::SettleWatch(const SettlePolicy& policy, core::MonoTime start, std::optional<std::uint64_t> total)
    : policy_(policy),
      start_(start),
      tolerance_(policy.tolerance.value_or(settle_tolerance(total))),
      slice_length_(policy.floor / kSlicesPerWindow),
      max_gap_(std::max<Nanos>(policy.floor / 3, std::chrono::seconds(1))) {
  policy_.floor = std::min(policy_.floor, policy_.cap);
  slices_.reserve(kSlicesPerWindow + 4);
}

void SettleWatch::take(const SettleSample& sample) {
  if (!slices_.empty() && sample.now - slices_.back().last > max_gap_) slices_.clear();
  const auto window_start = sample.now - policy_.floor;
  // The newest slice that lies before the window stays: memory had that value when the window began.
  while (slices_.size() > 1 && slices_[1].first <= window_start) slices_.erase(slices_.begin());
  if (slices_.empty() || sample.now - slices_.back().first > slice_length_) {
    slices_.push_back({sample.now, sample.now, kNothing, 0, kNothing, 0});
  }
  auto& slice = slices_.back();
  slice.last = sample.now;
  widen(slice.free_low, slice.free_high, sample.free);
  widen(slice.available_low, slice.available_high, sample.available);
}

SettleWatch::Band SettleWatch::band() const {
  std::uint64_t free_low = kNothing, free_high = 0, available_low = kNothing, available_high = 0;
  const auto width = [](std::uint64_t low, std::uint64_t high) { return low == kNothing ? 0 : high - low; };
  Band band{0, slices_.back().last};
  for (auto slice = slices_.rbegin(); slice != slices_.rend(); ++slice) {
    free_low = std::min(free_low, slice->free_low);
    free_high = std::max(free_high, slice->free_high);
    available_low = std::min(available_low, slice->available_low);
    available_high = std::max(available_high, slice->available_high);
    band.width = std::max(width(free_low, free_high), width(available_low, available_high));
    if (band.width <= tolerance_) band.still_since = slice->first;
  }
  return band;
}

SettleVerdict SettleWatch::wait_fixed(const SettleSample& sample) const {
  const Nanos wait = policy_.fixed.value_or(policy_.cap);
  SettleVerdict verdict;
  verdict.took = sample.now - start_;
  verdict.latest = start_ + wait;
  // A reading may still come, unless a fixed time was asked for.
  verdict.earliest = policy_.fixed ? verdict.latest : std::min(verdict.latest, sample.now + policy_.floor);
  verdict.settled = verdict.took >= wait;
  if (verdict.settled) verdict.reason = SettleReason::kFixed;
  verdict.text = "fixed " + core::format_duration(wait) + (policy_.fixed ? "" : ", memory cannot be read");
  return verdict;
}

SettleVerdict SettleWatch::feed(const SettleSample& sample) {
  const bool readable = sample.free || sample.available;
  if (policy_.fixed || (!ever_read_ && !readable)) return wait_fixed(sample);
  ever_read_ = true;
  if (readable) {
    take(sample);
  } else {
    slices_.clear();
  }
  const Band seen = slices_.empty() ? Band{0, sample.now} : band();
  SettleVerdict verdict;
  verdict.took = sample.now - start_;
  verdict.range = seen.width;
  verdict.latest = start_ + policy_.cap;
  verdict.earliest = std::min(verdict.latest, std::max(start_, seen.still_since) + policy_.floor);
  if (readable && verdict.took >= policy_.floor && sample.now - seen.still_since >= policy_.floor) {
    verdict.settled = true;
    verdict.reason = SettleReason::kStable;
    verdict.text =
        "stable for " + core::format_duration(policy_.floor) + " after " + core::format_duration(verdict.took);
  } else if (verdict.took >= policy_.cap) {
    verdict.settled = true;
    verdict.reason = SettleReason::kCap;
    verdict.text = readable ? "still moving by " + core::format_bytes(verdict.range) + " at the cap of "
                            : "memory could not be read any more at the cap of ";
    verdict.text += core::format_duration(policy_.cap);
  } else {
    verdict.text = "moving by " + core::format_bytes(verdict.range);
  }
  return verdict;
}

}  // namespace antifreeze::gate
