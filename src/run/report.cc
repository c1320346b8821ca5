#include "run/report.h"

#include <poll.h>
#include <unistd.h>

#include "core/text.h"
#include "host/dir.h"

namespace antifreeze::run {

void print_line(std::string_view line) {
  std::string out("antifreeze: ");
  out += core::printable(line, 2000);
  out += '\n';
  // A broken or full stderr must not stop a start: a pipe that nobody reads gets a moment, then the line is lost.
  pollfd writable{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&writable, 1, 100) == 0) return;
  (void)host::write_all(STDERR_FILENO, out).has_value();
}

Report::Report(std::string service, const host::Clock& clock, const host::MemorySource& memory, bool quiet)
    : service_(std::move(service)), clock_(clock), memory_(memory), quiet_(quiet) {}

void Report::use_gate(const gate::GateDir* dir, const host::Identity& identity) {
  dir_ = dir;
  boot_id_ = identity.boot_id;
  if (identity.pid_namespace != 0) pid_namespace_ = static_cast<std::int64_t>(identity.pid_namespace);
}

void Report::phase(gate::Phase phase, std::string_view reason, const Extra& extra) {
  const auto now = clock_.boottime();
  gate::Event event;
  event.boot_id = boot_id_;
  event.boottime = now;
  event.service = service_;
  event.domain = domain_;
  event.phase = phase;
  event.reason = reason;
  event.pid = ::getpid();
  event.pid_namespace = pid_namespace_;
  if (const auto memory = memory_.read()) event.memory = {memory->free, memory->available};
  event.ticket = extra.ticket;
  event.behind = extra.behind;
  event.ahead = extra.ahead;
  event.exit_code = extra.exit_code;
  event.lost_bytes = extra.lost_bytes;
  if (current_ && *current_ != phase) event.took_ns = (now - since_).count();
  if (!current_ || *current_ != phase) since_ = now;
  current_ = phase;
  append(event);
  std::string line(gate::phase_name(phase));
  if (!reason.empty()) line += ": " + std::string(reason);
  if (phase == gate::Phase::kHeld)
    say(line);
  else
    detail(line);
}

void Report::append(const gate::Event& event) {
  if (dir_ == nullptr) return;
  const auto appended = gate::append_event(*dir_, event);
  // On the way out the reason for leaving is the one line that counts.
  if (!appended && !log_failed_ && event.phase != gate::Phase::kExited)
    say("event log lost lines: " + appended.error().message());
  log_failed_ = !appended.has_value();
}

void Report::say(std::string_view text) const { print_line(service_ + ": " + std::string(text)); }

void Report::say_once(std::string_view topic, std::string_view text) {
  if (told_topics_.emplace(topic).second) say(text);
}

void Report::detail(std::string_view text) const {
  if (!quiet_) say(text);
}

}  // namespace antifreeze::run
