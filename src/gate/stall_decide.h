// A slow load is not a dead one (llama-swap 289, 574; ollama 6031): loading 100 GiB from a network disk takes longer
// than any fixed time-out, a hung one does nothing. Pure: what the process tree used so far goes in.
#pragma once

#include <cstdint>
#include <optional>

#include "core/time.h"

namespace antifreeze::gate {

/// What counts as progress between two looks. The thresholds are guesses on the careful side: 1 % of a core is more
/// than a process that only polls uses, 1 MiB in ten seconds is a load over the slowest link that anybody would bear.
/// A busy loop counts as progress: only the hard cap ends that.
struct StallPolicy {
  core::Nanos timeout = std::chrono::minutes(5);    ///< so long without progress = stalled; 0 = never
  core::Nanos interval = std::chrono::seconds(10);  ///< looks are compared over at least this; less when timeout/4 is
  double cpu_share = 0.01;                          ///< of one core
  std::uint64_t io_bytes = 1024 * 1024;
  std::uint64_t rss_bytes = 4ull * 1024 * 1024;  ///< up or down
  std::uint64_t ticks_per_second = 100;          ///< sysconf(_SC_CLK_TCK)
};

/// Sums over the process tree. When a process ends its share may drop out: any sum that falls is progress.
struct StallSample {
  core::MonoTime now;
  std::optional<std::uint64_t> cpu_ticks;  ///< utime + stime
  std::optional<std::uint64_t> io_bytes;   ///< rchar + wchar, so that reads from the page cache count too
  std::optional<std::uint64_t> rss_bytes;
};

struct StallVerdict {
  bool stalled = false;
  core::MonoTime since;     ///< last progress
  core::MonoTime stall_at;  ///< when it counts as stalled if nothing moves until then
};

/// Watches one start. Without any reading (another uid's tree) it never says stalled: the hard cap remains.
class StallWatch {
 public:
  StallWatch(const StallPolicy& policy, core::MonoTime start);

  StallVerdict feed(const StallSample& sample);
  /// Progress seen by other means: a log line, a health answer that changed.
  void progress(core::MonoTime now);

 private:
  [[nodiscard]] bool moved(const StallSample& sample) const;

  StallPolicy policy_;
  std::optional<StallSample> base_;
  core::MonoTime last_progress_;
};

}  // namespace antifreeze::gate
