#include "run/reclaim.h"

#include <algorithm>

#include "core/text.h"
#include "gate/settle_decide.h"
#include "host/dir_edit.h"

namespace antifreeze::run {
namespace {

/// A wreck whose processes are proven gone needs a third of the floor, counted from their end; memory is looked at for
/// this long at least.
constexpr core::Nanos kShortestLook = std::chrono::milliseconds(200);

gate::SettlePolicy policy_for(const Context& context, const std::vector<Wreck>& wrecks, core::MonoTime now) {
  auto policy = context.config.reclaim;
  const bool all_cleared = std::ranges::all_of(wrecks, [](const auto& w) { return w.cleared && w.ended; });
  if (all_cleared) {
    const auto full = policy.floor / 3;
    auto latest = *wrecks.front().ended;
    for (const auto& wreck : wrecks) latest = std::max(latest, *wreck.ended);
    policy.floor = std::clamp<core::Nanos>(full - (now - latest), std::min(full, kShortestLook), full);
  }
  policy.cap = std::max(policy.cap, policy.floor);
  // Device memory of its own cannot be seen from here: the floor, then.
  if (context.memory.kind() == host::MemoryKind::kDiscrete) policy.fixed = policy.floor;
  return policy;
}

std::vector<host::ProcInfo> survivors(const Context& context, const std::vector<Wreck>& wrecks) {
  std::vector<host::ProcInfo> found;
  for (const auto& wreck : wrecks) {
    for (const auto pid : context.processes.find_by_environment("ANTIFREEZE_TICKET", wreck.name)) {
      // A zombie holds no memory; whoever should reap it is not our business.
      if (auto process = context.processes.process(pid); process && process->state != 'Z') found.push_back(*process);
    }
  }
  return found;
}

}  // namespace

std::optional<int> reclaim(Context& context, const gate::GateDir& dir, const std::vector<Wreck>& wrecks) {
  if (wrecks.empty()) return std::nullopt;
  const auto began = context.clock.monotonic();
  const auto policy = policy_for(context, wrecks, began);
  std::string names;
  for (const auto& wreck : wrecks) names += (names.empty() ? "" : ", ") + wreck.service;
  context.report.phase(gate::Phase::kReclaiming, "after " + core::printable(names, 200) + " ended while starting");

  const auto first = context.memory.read();
  gate::SettleWatch watch(policy, began, first ? first->total : std::nullopt);
  const auto cadence =
      std::clamp<core::Nanos>(policy.floor / 10, std::chrono::milliseconds(10), std::chrono::milliseconds(100));
  std::vector<host::ProcInfo> left;
  for (;;) {
    const auto now = context.clock.monotonic();
    gate::SettleSample sample{now, std::nullopt, std::nullopt};
    if (const auto reading = context.memory.read()) {
      sample.free = reading->free;
      sample.available = reading->available;
    }
    const auto verdict = watch.feed(sample);
    if (verdict.settled) {
      left = survivors(context, wrecks);
      if (left.empty() || now - began >= policy.cap) break;
    }
    (void)context.signals.wait({}, cadence).has_value();
    if (const auto signal = asked_to_end()) return signal;
  }
  for (const auto& process : left) {
    context.report.say("process " + std::to_string(process.pid) + " (" + core::printable(process.comm, 16) +
                       ") of a dead wrapper still runs and may hold GPU memory");
  }
  for (const auto& wreck : wrecks) (void)host::unlink_at(dir.fd(), wreck.name).has_value();
  return std::nullopt;
}

}  // namespace antifreeze::run
