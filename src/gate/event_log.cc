#include "gate/event_log.h"

#include <fcntl.h>

#include "host/dir.h"
#include "host/dir_edit.h"

namespace antifreeze::gate {
namespace {

core::Result<core::Fd> open_log(const GateDir& dir) {
  const std::string name(kEventLogName);
  auto fd = host::open_regular_at(dir.fd(), name, O_WRONLY | O_APPEND);
  if (fd || fd.error().code() != core::ErrorCode::kNotFound) return fd;
  auto made = host::open_regular_at(dir.fd(), name, O_WRONLY | O_APPEND | O_CREAT | O_EXCL, 0666);
  if (!made) return host::open_regular_at(dir.fd(), name, O_WRONLY | O_APPEND);
  if (auto mode = host::set_mode(made->get(), 0666); !mode) return std::move(mode).error();
  return made;
}

/// A log of another user cannot be renamed in a sticky directory; emptying it keeps the bound, and the host's keeper
/// has the older lines.
void rotate(const GateDir& dir, int log_fd) {
  const auto lock = dir.try_lock_registry();
  if (!lock || !*lock) return;  // somebody decides at the moment; the next line will do
  if (!host::rename_at(dir.fd(), std::string(kEventLogName), std::string(kOldEventLogName))) {
    (void)host::truncate_empty(log_fd).has_value();
  }
}

}  // namespace

std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::kQueued:
      return "queued";
    case Phase::kGranted:
      return "granted";
    case Phase::kReclaiming:
      return "reclaiming";
    case Phase::kStarting:
      return "starting";
    case Phase::kSettling:
      return "settling";
    case Phase::kReady:
      return "ready";
    case Phase::kStopping:
      return "stopping";
    case Phase::kHeld:
      return "held";
    case Phase::kExited:
      break;
  }
  return "exited";
}

std::string event_line(const Event& event) {
  core::JsonLine line;
  line.add("boot_id", event.boot_id)
      .add("boottime_ns", event.boottime.ns)
      .add("service", event.service)
      .add("domain", event.domain)
      .add("state", phase_name(event.phase))
      .add("reason", event.reason)
      .add("pid", event.pid)
      .add("pid_ns", event.pid_namespace)
      .add("mem_free", event.memory.free_bytes)
      .add("mem_available", event.memory.available_bytes)
      .add("ticket", event.ticket)
      .add("behind", event.behind)
      .add("ahead", event.ahead)
      .add("exit_code", event.exit_code)
      .add("took_ns", event.took_ns)
      .add("lost_bytes", event.lost_bytes);
  return line.str();
}

core::Status append_event(const GateDir& dir, const Event& event) {
  auto fd = open_log(dir);
  if (!fd) return std::move(fd).error().with_context("event log");
  const auto info = host::file_info(fd->get());
  if (info && info->size_bytes > kEventLogBytes) {
    rotate(dir, fd->get());
    fd = open_log(dir);
    if (!fd) return std::move(fd).error().with_context("event log");
  }
  return host::write_all(fd->get(), event_line(event) + "\n");
}

}  // namespace antifreeze::gate
