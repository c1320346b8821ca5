// The ledger on disk: one file a device, changed under flock(LOCK_EX), never held longer than one operation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fd.h"
#include "core/result.h"
#include "fakevllm/journal.h"
#include "fakevllm/ledger_image.h"

namespace antifreeze::fakevllm {

class Ledger;

/// The ledger while this process holds its lock: dead processes' memory is already swept. Unlocks when destroyed.
class LockedLedger {
 public:
  LedgerImage image;

  /// Adds a journal line that commit() appends before the lock is given up, so that lines and numbers agree.
  void note(JournalLine line) { lines_.push_back(std::move(line)); }
  /// Writes image, meminfo and journal lines. `changed` false writes the lines only.
  core::Status commit(bool changed = true);

 private:
  friend class Ledger;
  LockedLedger(const Ledger& ledger, core::Fd fd) : ledger_(&ledger), fd_(std::move(fd)) {}

  const Ledger* ledger_;
  core::Fd fd_;
  bool swept_ = false;
  std::vector<JournalLine> lines_;
};

/// One device of $FAKE_GPU_DIR. The file is opened anew for each operation, so `device init` acts like a reboot.
class Ledger {
 public:
  /// Opens gpu`index`.ledger in `dir`; where there is none, makes it from `defaults`.
  static core::Result<Ledger> open(const std::string& dir, int index, const LedgerHeader& defaults);
  /// Replaces the ledger (and kmsg, meminfo) by a fresh one, atomically.
  static core::Status create(const std::string& dir, int index, const LedgerHeader& header);

  /// Takes the lock, reads, sweeps. Blocks only while another process does one operation.
  [[nodiscard]] core::Result<LockedLedger> lock() const;
  /// Would a sweep change anything? Takes no lock, so a stopped caller harms nobody.
  [[nodiscard]] bool needs_sweep() const;
  /// Locks byte `life` of gpuN.live for as long as the returned descriptor lives in this process.
  [[nodiscard]] core::Result<core::Fd> hold_life(std::uint64_t life) const;
  /// Appends a line to kmsg in the format of /dev/kmsg.
  void kernel_message(std::string_view text) const;

  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] const std::string& dir() const { return dir_; }
  [[nodiscard]] const Journal& journal() const { return journal_; }

 private:
  Ledger(std::string dir, int index, core::Fd live)
      : dir_(std::move(dir)), index_(index), live_(std::move(live)), journal_(dir_) {}
  [[nodiscard]] bool alive(std::uint64_t life) const;
  /// Marks dead processes, frees those whose lag is over; true when anything changed.
  bool sweep(LockedLedger& locked) const;

  std::string dir_;
  int index_;
  core::Fd live_;
  Journal journal_;
};

/// "DIR/gpu0.ledger" and the like.
std::string device_file(const std::string& dir, int index, std::string_view suffix);

/// Index of the device with that UUID in `dir`, -1 for none.
int find_device(const std::string& dir, std::string_view uuid);

}  // namespace antifreeze::fakevllm
