// Memory readings that a test wrote down.
#pragma once

#include <deque>
#include <utility>

#include "host/memory.h"

namespace antifreeze::host::fake {

/// Answers with `then` readings one after the other, the last one for ever; an error before anything was set.
class ScriptedMemory final : public MemorySource {
 public:
  explicit ScriptedMemory(MemoryKind kind = MemoryKind::kUnified) : kind_(kind) {}

  ScriptedMemory& then(std::uint64_t total, std::uint64_t free, std::uint64_t available) {
    answers_.emplace_back(MemoryReading{total, free, available});
    return *this;
  }
  ScriptedMemory& then(core::Result<MemoryReading> answer) {
    answers_.push_back(std::move(answer));
    return *this;
  }
  /// Forgets what was set and answers only this from now on.
  void set(std::uint64_t total, std::uint64_t free, std::uint64_t available) {
    answers_.clear();
    then(total, free, available);
  }

  [[nodiscard]] core::Result<MemoryReading> read() const override {
    ++reads;
    if (answers_.empty()) return core::Error(core::ErrorCode::kUnsupported, "fake: no memory reading was configured");
    auto answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return answer;
  }
  [[nodiscard]] MemoryKind kind() const override { return kind_; }

  mutable int reads = 0;

 private:
  MemoryKind kind_;
  mutable std::deque<core::Result<MemoryReading>> answers_;
};

}  // namespace antifreeze::host::fake
