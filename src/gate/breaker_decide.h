// What the breaker decides. Pure: the caller reads the record, calls one of these, and writes the record back when it
// changed (under the registry lock, reading it again just before, or a reset made meanwhile would be undone).
//
// A failure is an engine that ended without having been asked to, whatever its exit code, 0 too, before it had been
// ready for `healthy_after`: vLLM exits 0 after its engine died, and a server that exits after 40 s each time
// (eugr/spark-vllm-docker 257) never trips Docker's or systemd's own limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gate/breaker_types.h"

namespace antifreeze::gate {

/// A start that vanished before it was ready, without a word (its wrapper was killed with SIGKILL too), is normally
/// dockerd or a person killing the container, so it is no failure. systemd-oomd and memory.oom.group kill the same way,
/// so the third in a row and each one after it is one.
inline constexpr std::uint64_t kForgivenLosses = 2;

/// Smaller losses drown in what the rest of the machine does.
inline constexpr std::uint64_t kMemoryLossFloor = 64ull * 1024 * 1024;

/// May it start now? Also takes in what happened while nobody wrote: another boot (see rebase), a start that vanished,
/// a hold whose time is up.
BreakerVerdict before_start(BreakerRecord& record, const BreakerNow& now, const BreakerPolicy& policy);

/// Right before exec. `available` is MemAvailable in bytes; nullopt = not readable, then this start is left out of the
/// comparison.
void after_start(BreakerRecord& record, const BreakerNow& now, std::optional<std::uint64_t> available);

/// The engine became ready.
void after_ready(BreakerRecord& record, const BreakerNow& now);

/// It has been ready for `healthy_after` and still runs: forgets the failures, keeps the totals.
void after_healthy(BreakerRecord& record, const BreakerNow& now);

/// The engine ended unasked, or could not be started. `what` says how ("exit 1 after 41s"). Not counted when it had
/// been ready for `healthy_after`; that also forgets the failures before it.
BreakerOutcome after_failure(BreakerRecord& record, const BreakerNow& now, const BreakerPolicy& policy,
                             std::string_view what);

/// A job that was meant to end (--hold-until-exit) ended with 0: forgets the failures.
void after_finished(BreakerRecord& record, const BreakerNow& now);

/// It ended because somebody asked it to: neither a failure nor a success.
void after_asked_to_stop(BreakerRecord& record, const BreakerNow& now);

/// Holds it for another reason than failures (memory too short for ten minutes). `reason` holds the numbers.
void hold(BreakerRecord& record, const BreakerNow& now, const BreakerPolicy& policy, std::string_view reason);

/// `antifreeze gate reset NAME`: forgets hold, failures and memory; the totals and an open start stay.
void reset(BreakerRecord& record, const BreakerNow& now);

/// Converts the record to this boot. BOOTTIME starts at zero with each boot, so ages are taken from the wall clock. A
/// stamp of an earlier boot lies before this boot began; that bound is used where the wall clock says otherwise or is
/// unknown (0), so that a clock that was set back can only make a failure look younger, down to the age of this boot.
/// An open start ended with its boot (nobody's failure: see safe_boot_decide.h); memory of another boot says nothing.
void rebase(BreakerRecord& record, const BreakerNow& now);

/// What the one that ends now says of the next start, as one clause: "the next start waits 10s (1 failed start)",
/// "the next start is held: …", "the next start may come at once". `now` is when `verdict` was given.
std::string next_start_text(const BreakerVerdict& verdict, std::uint64_t failures, core::BootTime now);

/// How long to wait after the `failures`-th failure in a row; 0 for none.
core::Nanos back_off_delay(std::uint64_t failures, const BreakerPolicy& policy);

/// What each failed start cost, from MemAvailable before each: the median step, so that one other server's start in
/// between does not count as a loss. nullopt below kMemoryLossFloor in total, or with fewer than two starts.
std::optional<MemoryLoss> memory_loss(const BreakerRecord& record);

/// "memory available before each start fell by 1.2 GiB per attempt, 4.8 GiB over 4 attempts".
std::string memory_loss_text(const MemoryLoss& loss);

}  // namespace antifreeze::gate
