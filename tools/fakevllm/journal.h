// journal.jsonl: one line for each transition of any process, in the order in which they happened. The tests' oracle.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/json_line.h"

namespace antifreeze::fakevllm {

/// One line: {"mono_ns","boot_ns","pid","pidns","svc","role","phase", …}. Times are taken when it is made.
struct JournalLine {
  core::JsonLine json;
};

/// Who writes: the same in all lines of one process.
struct JournalIdentity {
  std::string service;
  std::string role;  ///< parent, engine, worker, holder, child, watch
};

/// Starts a line for this process, stamped now.
JournalLine journal_line(const JournalIdentity& who, std::string_view phase);

/// Appends to DIR/journal.jsonl with one O_APPEND write a line.
class Journal {
 public:
  explicit Journal(std::string dir) : dir_(std::move(dir)) {}
  /// A journal that cannot be written is reported on stderr once a line: the oracle must not lose lines silently.
  void append(const JournalLine& line) const;

 private:
  std::string dir_;
};

/// CLOCK_BOOTTIME in nanoseconds.
std::int64_t boot_now_ns();
/// CLOCK_MONOTONIC in nanoseconds.
std::int64_t mono_now_ns();

}  // namespace antifreeze::fakevllm
