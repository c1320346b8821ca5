#include "host/clock.h"

#include <fcntl.h>

#include <ctime>

#include "host/dir.h"
#include "readings/timens.h"

namespace antifreeze::host {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

std::int64_t read_clock(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return now.tv_sec * kNanosPerSecond + now.tv_nsec;
}

}  // namespace

RealClock::RealClock(const char* timens_offsets) {
  const auto text = read_file_at(AT_FDCWD, timens_offsets, 4096);
  if (!text) return;
  const auto offsets = readings::parse_timens_offsets(*text);
  monotonic_offset_ = core::Nanos(offsets.monotonic_ns.value_or(0));
  boottime_offset_ = core::Nanos(offsets.boottime_ns.value_or(0));
}

core::BootTime RealClock::boottime() const { return core::BootTime{read_clock(CLOCK_BOOTTIME)} - boottime_offset_; }

core::MonoTime RealClock::monotonic() const { return core::MonoTime{read_clock(CLOCK_MONOTONIC)} - monotonic_offset_; }

core::WallTime RealClock::wall() const { return {read_clock(CLOCK_REALTIME)}; }

}  // namespace antifreeze::host
