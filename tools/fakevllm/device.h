// One process's view of one device: what it owns, what mem_get_info tells it, and what goes wrong when it asks for
// more.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/fd.h"
#include "core/result.h"
#include "fakevllm/journal.h"
#include "fakevllm/ledger.h"

namespace antifreeze::fakevllm {

/// Bytes at one moment.
struct MemoryInfo {
  std::uint64_t total = 0;
  std::uint64_t free = 0;
  std::uint64_t self = 0;  ///< torch + non-torch of this process
  std::uint64_t torch = 0;
};

/// Whose memory: PyTorch's allocator, or everything else (context, NCCL, graphs' driver part).
enum class Pool { kTorch, kNonTorch };

/// Once attached, owns one record of the ledger until this process ends. Every call touches the device: when it is
/// wedged, the call never returns.
class Device {
 public:
  Device(Ledger ledger, JournalIdentity who, std::optional<bool> count_cache, bool wedge_on_floor)
      : ledger_(std::move(ledger)), who_(std::move(who)), count_cache_(count_cache), wedge_on_floor_(wedge_on_floor) {}

  /// Books `bytes`; false when there is not enough (out of memory). `phase` and the numbers go to the journal.
  core::Result<bool> allocate(Pool pool, std::uint64_t bytes, std::string_view phase);
  /// Gives `bytes` back, at most what is owned.
  core::Status release(Pool pool, std::uint64_t bytes, std::string_view phase);
  /// mem_get_info.
  core::Result<MemoryInfo> look();
  /// A journal line with free and self of now; `extra` (may be null) adds to it.
  core::Status note(std::string_view phase, const std::function<void(core::JsonLine&)>& extra = nullptr);
  /// Books file pages (unified memory only).
  core::Status read_files(std::uint64_t bytes);
  /// Gives everything back as the end of a process does: at once, or after the device's release lag.
  void leave();
  /// Frees dead neighbours' memory, as any driver would by itself.
  void tick();

  /// The numbers as they were within the last call that changed or looked.
  [[nodiscard]] const MemoryInfo& last() const { return last_; }
  [[nodiscard]] const JournalIdentity& who() const { return who_; }
  [[nodiscard]] const Ledger& ledger() const { return ledger_; }

 private:
  core::Result<LockedLedger> touch();
  core::Status attach(LockedLedger& locked);
  [[nodiscard]] MemoryInfo info(LockedLedger& locked) const;
  void add_line(LockedLedger& locked, std::string_view phase, const std::function<void(core::JsonLine&)>& extra);
  [[nodiscard]] bool counts_cache(const LedgerImage& image) const {
    return count_cache_.value_or(image.header.count_cache != 0);
  }
  /// The driver's complaint and, where asked for, the wedge.
  void check_floor(LockedLedger& locked);

  Ledger ledger_;
  JournalIdentity who_;
  std::optional<bool> count_cache_;
  bool wedge_on_floor_;
  MemoryInfo last_;
  std::uint64_t life_ = 0;
  core::Fd life_lock_;
};

}  // namespace antifreeze::fakevllm
