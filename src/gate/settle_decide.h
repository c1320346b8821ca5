// When memory has stopped moving. An engine answers healthy before it has finished allocating, and the next one would
// size itself from a number that is still changing (kvcached 193, 448): so the gate goes on holding until MemFree and
// MemAvailable have stayed within a narrow band for a while. Pure: samples in, verdict out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"

namespace antifreeze::gate {

struct SettlePolicy {
  core::Nanos floor = std::chrono::seconds(3);  ///< never sooner, and for so long memory has to be stable
  core::Nanos cap = std::chrono::seconds(30);   ///< never later
  std::optional<core::Nanos> fixed;             ///< `--settle 30s`: exactly so long, without looking
  std::optional<std::uint64_t> tolerance;       ///< bytes; nullopt: settle_tolerance of the machine's total
};

/// The same after a holder died: its memory must have come back before the next exec (docs/gate-protocol.md, H1).
inline constexpr SettlePolicy kReclaimPolicy{std::chrono::seconds(3), std::chrono::seconds(60), std::nullopt,
                                             std::nullopt};
/// Floor where every process of the dead holder is proven gone (state C).
inline constexpr core::Nanos kReclaimFloorCleared = std::chrono::seconds(1);

/// Bytes within which memory counts as still: 64 MiB, or 0.2 % of a large machine's total. Guesses: far below what a
/// graph pool or a KV cache takes, above what an otherwise idle host moves.
std::uint64_t settle_tolerance(std::optional<std::uint64_t> total);

/// One look at /proc/meminfo. nullopt = not readable.
struct SettleSample {
  core::MonoTime now;
  std::optional<std::uint64_t> free;       ///< MemFree, bytes
  std::optional<std::uint64_t> available;  ///< MemAvailable, bytes
};

enum class SettleReason {
  kMoving,  ///< not settled yet
  kStable,
  kCap,    ///< still moving (or readings vanished) when the cap was reached
  kFixed,  ///< asked for a fixed time, or there was never a reading: the cap, then
};

struct SettleVerdict {
  bool settled = false;
  SettleReason reason = SettleReason::kMoving;
  core::Nanos took{0};
  /// Not settled: the soonest moment at which more samples could show it; settled by then at the latest: `latest`.
  core::MonoTime earliest;
  core::MonoTime latest;
  std::uint64_t range = 0;  ///< bytes: the wider of the two bands over the last window, 0 without readings
  std::string text;         ///< "stable for 3s after 4.6s" | "still moving by 812 MiB at the cap of 30s" | "fixed 30s"
};

/// Watches memory from `start` on. Feed it 4 to 20 samples a second; each feed needs bounded memory and no allocation
/// after construction but the verdict's text.
class SettleWatch {
 public:
  SettleWatch(const SettlePolicy& policy, core::MonoTime start, std::optional<std::uint64_t> total);

  /// Times must not go back. A gap of more than a third of the window (or 1 s, whichever is longer) between two
  /// samples starts the window anew: what was not looked at was not stable.
  SettleVerdict feed(const SettleSample& sample);

  [[nodiscard]] std::uint64_t tolerance() const { return tolerance_; }

 private:
  /// Samples of one slice of time, so that the number of slices is bounded whatever the sampling rate.
  struct Slice {
    core::MonoTime first;
    core::MonoTime last;
    std::uint64_t free_low, free_high, available_low, available_high;
  };
  void take(const SettleSample& sample);
  /// What the slices show.
  struct Band {
    std::uint64_t width;         ///< bytes, over all of them
    core::MonoTime still_since;  ///< since then everything stayed within the tolerance
  };
  [[nodiscard]] Band band() const;
  [[nodiscard]] SettleVerdict wait_fixed(const SettleSample& sample) const;

  SettlePolicy policy_;
  core::MonoTime start_;
  std::uint64_t tolerance_;
  core::Nanos slice_length_;
  core::Nanos max_gap_;
  std::vector<Slice> slices_;
  bool ever_read_ = false;
};

}  // namespace antifreeze::gate
