#include "cli/gate_view_text.h"

#include <algorithm>

#include "cli/duration_text.h"
#include "cli/width.h"
#include "core/text.h"
#include "core/units.h"
#include "gate/breaker_decide.h"

namespace antifreeze::cli {
namespace {

constexpr std::size_t kLabel = 9;
constexpr std::size_t kName = 14;
/// More make a screen unreadable; --json has them all.
constexpr std::size_t kMaxReadyShown = 12;

class Lines {
 public:
  explicit Lines(bool colour) : colour_(colour) {}

  /// `label` is shown only on the first of several lines of its kind.
  void add(std::string_view label, std::string_view text, std::string_view sgr = {}) {
    out_ += pad(label == last_ ? "" : label, kLabel);
    last_ = label;
    const bool paint = colour_ && !sgr.empty();
    if (paint) out_ += "\x1b[" + std::string(sgr) + "m";
    out_ += text;
    if (paint) out_ += "\x1b[0m";
    out_ += '\n';
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  bool colour_;
  std::string out_;
  std::string_view last_;
};

std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? "" : ",") + part;
  return out;
}

/// Where it runs: host pids when they can be read, else the number that it has in its own container.
std::string process_text(const std::vector<std::int64_t>& host_pids, std::int64_t own_pid) {
  if (host_pids.empty()) return own_pid > 0 ? "pid " + std::to_string(own_pid) + " in its container" : "";
  std::string out = "pid ";
  for (std::size_t i = 0; i < host_pids.size(); ++i) out += (i == 0 ? "" : "+") + std::to_string(host_pids[i]);
  return out;
}

std::string with_details(std::string text, const std::vector<std::string>& domains, int priority,
                         const std::string& process) {
  text += "  [" + join(domains);
  if (priority != 0) text += ", priority " + std::to_string(priority);
  if (!process.empty()) text += ", " + process;
  return text + "]";
}

void add_state(Lines& lines, const GateView& view) {
  if (view.safe_boot) {
    lines.add("boot", "SAFE BOOT: " + *view.safe_boot, "31");
    lines.add("boot", "nothing starts by itself; 'antifreeze gate reset --safe-boot' goes on", "31");
  }
  if (view.pause) {
    std::string text = "for " + short_duration(view.pause->until - view.base.boottime) + " more, until " +
                       core::format_rfc3339(view.base.wall_at(view.pause->until)) + ": " +
                       core::printable(view.pause->pause.reason, 200);
    if (!view.pause->pause.by.empty()) text += " (" + core::printable(view.pause->pause.by, 64) + ")";
    lines.add("PAUSED", text, "33");
    lines.add("PAUSED", "'antifreeze gate resume' ends it", "33");
  }
  if (view.holders.empty() && view.queue.empty() && view.unreadable.empty()) {
    lines.add("state", view.held.empty() ? "idle: nothing starts, nothing waits" : "free: nobody holds the gate");
  }
}

void add_holders(Lines& lines, const GateView& view) {
  for (const auto& holder : view.holders) {
    std::string text = pad(holder.service, kName) + " ";
    text += holder.cleared ? "ended, its memory is coming back" : holder.doing.empty() ? "holds" : holder.doing;
    if (holder.since) text += ", gate held for " + short_duration(view.monotonic - *holder.since);
    if (holder.overdue) {
      text += ", OVERDUE: no longer waited for";
    } else if (holder.deadline) {
      text += ", at most " + short_duration(*holder.deadline - view.monotonic) + " more";
    }
    lines.add("holder", with_details(text, holder.domains, holder.priority, process_text(holder.host_pids, holder.pid)),
              holder.overdue ? "31" : "32");
  }
  for (const auto& found : view.unreadable) {
    std::string text = found.ticket + " is locked and cannot be read: it counts as a holder of everything";
    const auto process = process_text(found.host_pids, 0);
    if (!process.empty()) text += " [" + process + "]";
    lines.add("unknown", text, "31");
  }
}

void add_queue(Lines& lines, const GateView& view) {
  std::size_t position = 0;
  for (const auto& waiter : view.queue) {
    std::string text = std::to_string(++position) + " " + pad(waiter.service, kName) + " waits for " +
                       short_duration(view.base.boottime - waiter.arrival);
    if (waiter.gathering) text += " (others may still arrive)";
    lines.add("queue", with_details(text, waiter.domains, waiter.priority, process_text(waiter.host_pids, waiter.pid)));
  }
  for (const auto& wreck : view.wrecks) {
    const auto name = wreck.service.empty() ? wreck.ticket : wreck.service;
    lines.add("wreck",
              pad(name, kName) + (wreck.cleared ? " ended; the next start waits for its memory"
                                                : " died while it started; the next start waits for its memory"),
              "33");
  }
}

/// Label, verb and colour of a service that starts nothing for the time being.
struct HeldWords {
  std::string_view label, verb, sgr;
};

HeldWords words_of(HeldState state) {
  switch (state) {
    case HeldState::kBackingOff:
      return {"back-off", "backs off", "33"};
    case HeldState::kShortMemory:
      return {"memory", "waits for memory", "33"};
    case HeldState::kHeld:
      break;
  }
  return {"held", "held", "31"};
}

void add_held(Lines& lines, const GateView& view) {
  bool needs_reset = false;
  for (const auto& held : view.held) {
    const auto words = words_of(held.state);
    std::string text = pad(held.service, kName) + " " + std::string(words.verb);
    if (held.since) text += " for " + short_duration(view.base.boottime - *held.since);
    if (held.until) text += ", tries again in " + short_duration(*held.until - view.base.boottime);
    if (held.failures > 0)
      text += ", " + std::to_string(held.failures) + (held.failures == 1 ? " failure" : " failures");
    if (!held.reason.empty()) text += ": " + held.reason;
    lines.add(words.label, text, words.sgr);
    if (held.loss) lines.add(words.label, pad("", kName + 1) + gate::memory_loss_text(*held.loss));
    needs_reset = needs_reset || held.needs_reset;
  }
  if (needs_reset) lines.add("", "'antifreeze gate reset NAME' lets a held service start again");
  for (const auto& name : view.damaged_breakers) {
    lines.add("damaged", core::printable(name, 80) + " is no breaker record and is ignored", "33");
  }
}

void add_ready(Lines& lines, const GateView& view) {
  std::size_t shown = 0;
  std::size_t more = 0;
  for (const auto& service : view.services) {
    if (service.phase != gate::Phase::kReady) continue;
    if (shown == kMaxReadyShown) {
      ++more;
      continue;
    }
    ++shown;
    lines.add("ready", pad(service.service, kName) + " for " + short_duration(view.base.boottime - service.since) +
                           ", as the log says");
  }
  if (more > 0) lines.add("ready", "and " + std::to_string(more) + " more");
  if (view.log_garbage > 0)
    lines.add("log", std::to_string(view.log_garbage) + " lines are no events and are ignored", "33");
}

}  // namespace

std::string gate_view_text(const GateView& view, bool colour) {
  Lines lines(colour);
  lines.add("gate", view.path + (view.id.empty() ? "  (trusted: given by hand, not the host's marked directory)"
                                                 : "  (the host's, id " + view.id.substr(0, 8) + ")"));
  add_state(lines, view);
  add_holders(lines, view);
  add_queue(lines, view);
  add_held(lines, view);
  add_ready(lines, view);
  return lines.take();
}

}  // namespace antifreeze::cli
