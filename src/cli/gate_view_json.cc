#include "cli/gate_view_text.h"

namespace antifreeze::cli {
namespace {

/// A moment twice: for people and other machines, and for arithmetic on this one.
class Times {
 public:
  explicit Times(const GateView& view) : view_(view) {}

  void add(Json& object, const std::string& key, core::BootTime time) const {
    object[key] = core::format_rfc3339(view_.base.wall_at(time));
    object[key + "_boottime_ns"] = time.ns;
  }
  void add(Json& object, const std::string& key, const std::optional<core::BootTime>& time) const {
    if (time) add(object, key, *time);
  }
  /// Tickets carry CLOCK_MONOTONIC; from here it is as far away on either clock, but for suspends in between.
  void add(Json& object, const std::string& key, const std::optional<core::MonoTime>& time) const {
    if (time) add(object, key, view_.base.boottime + (*time - view_.monotonic));
  }

 private:
  const GateView& view_;
};

void add_pids(Json& object, std::int64_t pid, const std::vector<std::int64_t>& host_pids) {
  if (pid > 0) object["pid"] = pid;
  if (!host_pids.empty()) object["host_pids"] = host_pids;
}

Json holder_json(const HolderView& holder, const Times& times) {
  Json out{{"ticket", holder.ticket},     {"service", holder.service}, {"domains", holder.domains},
           {"priority", holder.priority}, {"overdue", holder.overdue}, {"cleared", holder.cleared}};
  if (!holder.doing.empty()) out["state"] = holder.doing;
  times.add(out, "since", holder.since);
  times.add(out, "deadline", holder.deadline);
  add_pids(out, holder.pid, holder.host_pids);
  return out;
}

Json waiter_json(const WaiterView& waiter, std::size_t position, const GateView& view, const Times& times) {
  Json out{{"position", position},
           {"ticket", waiter.ticket},
           {"service", waiter.service},
           {"domains", waiter.domains},
           {"priority", waiter.priority},
           {"gathering", waiter.gathering},
           {"waited_ns", (view.base.boottime - waiter.arrival).count()}};
  times.add(out, "arrival", waiter.arrival);
  add_pids(out, waiter.pid, waiter.host_pids);
  return out;
}

Json wreck_json(const WreckView& wreck) {
  Json out{{"ticket", wreck.ticket}, {"cleared", wreck.cleared}};
  if (!wreck.service.empty()) out["service"] = wreck.service;
  if (!wreck.domains.empty()) out["domains"] = wreck.domains;
  return out;
}

std::string_view name_of(HeldState state) {
  switch (state) {
    case HeldState::kBackingOff:
      return "backing_off";
    case HeldState::kShortMemory:
      return "waiting_for_memory";
    case HeldState::kHeld:
      break;
  }
  return "held";
}

Json held_json(const HeldView& held, const Times& times) {
  Json out{
      {"service", held.service}, {"state", name_of(held.state)}, {"failures", held.failures}, {"reason", held.reason}};
  times.add(out, "since", held.since);
  times.add(out, "until", held.until);
  if (held.loss) {
    out["memory_lost_bytes"] = held.loss->total;
    out["memory_lost_per_attempt_bytes"] = held.loss->per_attempt;
  }
  return out;
}

Json service_json(const ServiceView& service, const Times& times) {
  Json out{{"service", service.service}, {"state", gate::phase_name(service.phase)}, {"reason", service.reason}};
  times.add(out, "since", service.since);
  return out;
}

}  // namespace

Json gate_view_json(const GateView& view) {
  const Times times(view);
  Json out{{"schema", "antifreeze/gate-status/v1"}, {"boot_id", view.base.boot_id}};
  times.add(out, "time", view.base.boottime);
  out["directory"] = view.path;
  out["mode"] = view.id.empty() ? "trusted" : "host";
  if (!view.id.empty()) out["gate_id"] = view.id;
  out["paused"] = view.pause.has_value();
  if (view.pause) {
    Json pause{{"reason", view.pause->pause.reason}, {"by", view.pause->pause.by}};
    times.add(pause, "until", view.pause->until);
    out["pause"] = std::move(pause);
  }
  out["safe_boot"] = view.safe_boot.has_value();
  if (view.safe_boot) out["safe_boot_reason"] = *view.safe_boot;
  for (const auto* list : {"holders", "queue", "wrecks", "unreadable", "held", "services"}) out[list] = Json::array();
  for (const auto& holder : view.holders) out["holders"].push_back(holder_json(holder, times));
  for (const auto& waiter : view.queue) {
    out["queue"].push_back(waiter_json(waiter, out["queue"].size() + 1, view, times));
  }
  for (const auto& wreck : view.wrecks) out["wrecks"].push_back(wreck_json(wreck));
  for (const auto& found : view.unreadable) {
    Json entry{{"ticket", found.ticket}};
    add_pids(entry, 0, found.host_pids);
    out["unreadable"].push_back(std::move(entry));
  }
  for (const auto& held : view.held) out["held"].push_back(held_json(held, times));
  for (const auto& service : view.services) out["services"].push_back(service_json(service, times));
  out["damaged_breakers"] = view.damaged_breakers;
  out["log_garbage_lines"] = view.log_garbage;
  return out;
}

}  // namespace antifreeze::cli
