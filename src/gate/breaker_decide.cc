#include "gate/breaker_decide.h"

#include <algorithm>

#include "core/text.h"
#include "core/units.h"

namespace antifreeze::gate {
namespace {

using core::BootTime;
using core::Nanos;

/// Reasons come from exit codes and measured numbers; this only keeps one from filling the file.
constexpr std::size_t kReasonBytes = 256;

BreakerStamp stamp(const BreakerNow& now) { return {now.boottime, now.wall}; }

template <typename T>
void push_bounded(std::vector<T>& list, T value) {
  if (list.size() >= kMaxFailuresKept) list.erase(list.begin());
  list.push_back(value);
}

/// A stamp from the future (a forged file, or two containers whose clocks disagree) counts as now.
BootTime not_after(BootTime time, const BreakerNow& now) { return std::min(time, now.boottime); }

void forget_failures(BreakerRecord& record) {
  record.failures.clear();
  record.failures_in_a_row = 0;
  record.lost_in_a_row = 0;
  record.last_failure.clear();
  record.memory_before.clear();
}

bool was_healthy(const BreakerRecord& record, const BreakerNow& now, const BreakerPolicy& policy) {
  return record.open && record.open->ready && now.boottime - *record.open->ready >= policy.healthy_after;
}

std::string failed_starts(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " failed start" : " failed starts");
}

std::size_t failures_within(const BreakerRecord& record, const BreakerNow& now, Nanos window) {
  return static_cast<std::size_t>(std::ranges::count_if(record.failures, [&](const BreakerStamp& failure) {
    return now.boottime - not_after(failure.boottime, now) <= window;
  }));
}

void count_failure(BreakerRecord& record, const BreakerNow& now, const BreakerPolicy& policy, std::string_view what) {
  push_bounded(record.failures, stamp(now));
  ++record.failures_in_a_row;
  ++record.failures_total;
  record.last_failure = core::printable(what, kReasonBytes);
  if (policy.max_failures <= 0 || record.hold) return;
  const auto recent = failures_within(record, now, policy.failure_window);
  const auto limit = std::min(static_cast<std::size_t>(policy.max_failures), kMaxFailuresKept);
  if (recent < limit) return;
  hold(record, now, policy,
       failed_starts(recent) + " in " + core::format_duration(policy.failure_window) +
           (record.last_failure.empty() ? "" : ", the last: " + record.last_failure));
}

/// What an attempt that nobody closed meant (see kForgivenLosses).
void take_in_lost_start(BreakerRecord& record, const BreakerNow& now, const BreakerPolicy& policy) {
  if (!record.open) return;
  const bool was_ready = record.open->ready.has_value();
  record.open.reset();
  if (was_ready) {
    record.lost_in_a_row = 0;
    return;
  }
  if (++record.lost_in_a_row <= kForgivenLosses) return;
  count_failure(record, now, policy, "killed together with its wrapper before it was ready");
}

BreakerVerdict verdict(const BreakerRecord& record, const BreakerNow& now, const BreakerPolicy& policy) {
  if (record.hold) {
    const BootTime since = not_after(record.hold->since.boottime, now);
    BreakerVerdict held{BreakerAnswer::kHeld, std::nullopt, since, record.hold->reason};
    if (record.hold->duration) held.until = since + *record.hold->duration;
    return held;
  }
  if (record.failures.empty()) return {};
  const Nanos delay = back_off_delay(record.failures_in_a_row, policy);
  const BootTime until = not_after(record.failures.back().boottime, now) + delay;
  if (until <= now.boottime) return {};
  return {BreakerAnswer::kBackOff, until, std::nullopt,
          "failed " + std::to_string(record.failures_in_a_row) +
              (record.failures_in_a_row == 1 ? " time" : " times in a row") + ", waiting " +
              core::format_duration(delay)};
}

/// Puts a stamp of another boot on this boot's clock.
void rebase_stamp(BreakerStamp& stamp, const BreakerNow& now) {
  const Nanos since_this_boot = now.boottime - BootTime{};
  const bool known = stamp.wall.ns > 0 && now.wall.ns > 0;
  const Nanos age = known ? std::max(now.wall - stamp.wall, since_this_boot) : since_this_boot;
  stamp.boottime = now.boottime - age;
}

}  // namespace

Nanos back_off_delay(std::uint64_t failures, const BreakerPolicy& policy) {
  if (failures == 0) return Nanos(0);
  Nanos delay = std::min(policy.first_delay, policy.delay_cap);
  for (std::uint64_t i = 1; i < failures && delay < policy.delay_cap; ++i) {
    // Compared by subtraction: doubling near the end of the range would overflow.
    delay = delay > policy.delay_cap - delay ? policy.delay_cap : delay + delay;
    if (delay == Nanos(0)) break;
  }
  return delay;
}

std::string next_start_text(const BreakerVerdict& verdict, std::uint64_t failures, core::BootTime now) {
  switch (verdict.answer) {
    case BreakerAnswer::kHeld:
      return "the next start is held: " + verdict.reason;
    case BreakerAnswer::kBackOff:
      return "the next start waits " + core::format_duration(verdict.until.value_or(now) - now) + " (" +
             failed_starts(failures) + (failures > 1 ? " in a row)" : ")");
    case BreakerAnswer::kGo:
      break;
  }
  return "the next start may come at once";
}

void rebase(BreakerRecord& record, const BreakerNow& now) {
  if (record.boot_id == now.boot_id) return;
  if (!record.boot_id.empty()) {
    for (auto& failure : record.failures) rebase_stamp(failure, now);
    if (record.hold) rebase_stamp(record.hold->since, now);
    record.open.reset();
    record.memory_before.clear();
    record.lost_in_a_row = 0;
  }
  record.boot_id = now.boot_id;
}

BreakerVerdict before_start(BreakerRecord& record, const BreakerNow& now, const BreakerPolicy& policy) {
  rebase(record, now);
  take_in_lost_start(record, now, policy);
  if (record.hold && record.hold->duration &&
      now.boottime - not_after(record.hold->since.boottime, now) >= *record.hold->duration) {
    record.hold.reset();
    forget_failures(record);
  }
  return verdict(record, now, policy);
}

void after_start(BreakerRecord& record, const BreakerNow& now, std::optional<std::uint64_t> available) {
  rebase(record, now);
  ++record.starts_total;
  record.open = BreakerAttempt{stamp(now), std::nullopt};
  if (available) push_bounded(record.memory_before, *available);
}

void after_ready(BreakerRecord& record, const BreakerNow& now) {
  rebase(record, now);
  if (!record.open) record.open = BreakerAttempt{stamp(now), std::nullopt};
  record.open->ready = now.boottime;
  record.lost_in_a_row = 0;
}

void after_healthy(BreakerRecord& record, const BreakerNow& now) {
  rebase(record, now);
  forget_failures(record);
}

BreakerOutcome after_failure(BreakerRecord& record, const BreakerNow& now, const BreakerPolicy& policy,
                             std::string_view what) {
  rebase(record, now);
  const bool counted = !was_healthy(record, now, policy);
  record.open.reset();
  record.lost_in_a_row = 0;
  if (counted) {
    count_failure(record, now, policy, what);
  } else {
    forget_failures(record);
  }
  return {counted, verdict(record, now, policy)};
}

void after_finished(BreakerRecord& record, const BreakerNow& now) {
  rebase(record, now);
  record.open.reset();
  forget_failures(record);
}

void after_asked_to_stop(BreakerRecord& record, const BreakerNow& now) {
  rebase(record, now);
  record.open.reset();
  record.lost_in_a_row = 0;
}

void hold(BreakerRecord& record, const BreakerNow& now, const BreakerPolicy& policy, std::string_view reason) {
  rebase(record, now);
  record.hold = BreakerHold{stamp(now), policy.held_for, core::printable(reason, kReasonBytes)};
}

void reset(BreakerRecord& record, const BreakerNow& now) {
  rebase(record, now);
  record.hold.reset();
  forget_failures(record);
}

std::optional<MemoryLoss> memory_loss(const BreakerRecord& record) {
  const auto& before = record.memory_before;
  if (before.size() < 2) return std::nullopt;
  std::vector<std::int64_t> steps;
  for (std::size_t i = 1; i < before.size(); ++i) {
    steps.push_back(static_cast<std::int64_t>(before[i - 1] - before[i]));
  }
  const std::size_t attempts = steps.size();
  // The lower of the two middle ones: the careful answer.
  std::ranges::sort(steps);
  const std::int64_t step = steps[(attempts - 1) / 2];
  if (step <= 0) return std::nullopt;
  const auto per_attempt = static_cast<std::uint64_t>(step);
  if (per_attempt <= kMemoryLossFloor / attempts) return std::nullopt;
  return MemoryLoss{per_attempt, per_attempt * attempts, attempts};
}

std::string memory_loss_text(const MemoryLoss& loss) {
  std::string text = "memory available before each start fell by " + core::format_bytes(loss.per_attempt);
  if (loss.attempts > 1) {
    text += " per attempt, " + core::format_bytes(loss.total) + " over " + std::to_string(loss.attempts) + " attempts";
  }
  return text;
}

}  // namespace antifreeze::gate
