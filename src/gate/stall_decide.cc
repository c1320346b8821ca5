#include "gate/stall_decide.h"

#include <algorithm>

namespace antifreeze::gate {
namespace {

/// A sum over a changing set of processes may fall: one of them ended, and that is progress too.
bool grew_by(const std::optional<std::uint64_t>& before, const std::optional<std::uint64_t>& now, double at_least) {
  if (!before || !now) return false;
  return *now < *before || static_cast<double>(*now - *before) >= at_least;
}

bool readable(const StallSample& sample) { return sample.cpu_ticks || sample.io_bytes || sample.rss_bytes; }

}  // namespace

StallWatch::StallWatch(const StallPolicy& policy, core::MonoTime start) : policy_(policy), last_progress_(start) {
  policy_.interval = std::min(policy_.interval, policy_.timeout / 4);
}

bool StallWatch::moved(const StallSample& sample) const {
  const double seconds = std::chrono::duration<double>(sample.now - base_->now).count();
  // Never less than one tick: below that the kernel's accounting shows nothing.
  const double ticks = std::max(1.0, policy_.cpu_share * static_cast<double>(policy_.ticks_per_second) * seconds);
  if (grew_by(base_->cpu_ticks, sample.cpu_ticks, ticks)) return true;
  if (grew_by(base_->io_bytes, sample.io_bytes, static_cast<double>(policy_.io_bytes))) return true;
  if (!base_->rss_bytes || !sample.rss_bytes) return false;
  const auto low = std::min(*base_->rss_bytes, *sample.rss_bytes);
  const auto high = std::max(*base_->rss_bytes, *sample.rss_bytes);
  return high - low >= policy_.rss_bytes;
}

StallVerdict StallWatch::feed(const StallSample& sample) {
  if (policy_.timeout <= core::Nanos(0)) return {false, last_progress_, last_progress_};
  if (!readable(sample)) {
    // Nothing to go by: as if it moved, or a tree that cannot be read would look stalled.
    base_.reset();
    progress(sample.now);
  } else if (!base_) {
    base_ = sample;
  } else if (sample.now - base_->now >= policy_.interval) {
    if (moved(sample)) progress(sample.now);
    base_ = sample;
  }
  return {sample.now - last_progress_ >= policy_.timeout, last_progress_, last_progress_ + policy_.timeout};
}

void StallWatch::progress(core::MonoTime now) { last_progress_ = std::max(last_progress_, now); }

}  // namespace antifreeze::gate
