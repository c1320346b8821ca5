#include "host/clock.h"

#include <gtest/gtest.h>

#include <ctime>

#include "host/fake/manual_clock.h"
#include "host/fake/temp_dir.h"

namespace antifreeze::host {
namespace {

using core::Nanos;
using std::chrono::hours;
using std::chrono::seconds;

TEST(RealClock, TakesTheNamespaceOffsetsOut) {
  const fake::TempDir dir;
  dir.write("timens_offsets", "monotonic 3600 0\nboottime -7200 0\n");
  const RealClock plain("/nonexistent");
  const RealClock shifted(dir.path("timens_offsets").c_str());
  const auto near = [](Nanos difference, Nanos expected) {
    return difference > expected - seconds(60) && difference < expected + seconds(60);
  };
  EXPECT_TRUE(near(plain.monotonic() - shifted.monotonic(), hours(1)));
  EXPECT_TRUE(near(plain.boottime() - shifted.boottime(), -Nanos(hours(2))));
}

TEST(RealClock, AgreesWithTheKernelOutsideATimeNamespace) {
  const RealClock clock("/nonexistent");
  timespec before{};
  clock_gettime(CLOCK_BOOTTIME, &before);
  const auto now = clock.boottime();
  EXPECT_GE(now.ns, before.tv_sec * 1'000'000'000 + before.tv_nsec);
  const auto monotonic = clock.monotonic();
  EXPECT_LE(monotonic.ns, clock.boottime().ns) << "suspend only adds to boottime";
  EXPECT_EQ(clock.wall().ns / 1'000'000'000'000, static_cast<std::int64_t>(::time(nullptr)) / 1000);
}

TEST(ManualClock, SuspendStopsOnlyTheMonotonicClock) {
  fake::ManualClock clock;
  const auto monotonic = clock.monotonic();
  const auto boottime = clock.boottime();
  clock.suspend(hours(8));
  clock.advance(seconds(1));
  EXPECT_EQ(clock.monotonic() - monotonic, seconds(1));
  EXPECT_EQ(clock.boottime() - boottime, hours(8) + seconds(1));
}

}  // namespace
}  // namespace antifreeze::host
