// Everything that a wrapper says: lines on stderr for people, the event log for programs.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "gate/event_log.h"
#include "host/clock.h"
#include "host/identity.h"
#include "host/memory.h"

namespace antifreeze::run {

/// What a transition may carry besides state and reason.
struct Extra {
  std::optional<std::string> ticket;
  std::optional<std::string> behind;
  std::optional<std::int64_t> ahead;
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> lost_bytes;
};

class Report {
 public:
  Report(std::string service, const host::Clock& clock, const host::MemorySource& memory, bool quiet);

  /// From now on transitions also go into the event log of `dir` (nullptr: nowhere).
  void use_gate(const gate::GateDir* dir, const host::Identity& identity);
  void set_domain(std::string domain) { domain_ = std::move(domain); }

  /// A transition: one line on stderr and one in the event log, with the memory of this moment.
  void phase(gate::Phase phase, std::string_view reason, const Extra& extra = {});
  /// Something a person must know: "antifreeze: NAME: text".
  void say(std::string_view text) const;
  /// The same, but only the first time for each `topic`: what goes wrong again at each step is said once.
  void say_once(std::string_view topic, std::string_view text);
  /// Something a person may want to know; not with --quiet.
  void detail(std::string_view text) const;

  [[nodiscard]] std::optional<gate::Phase> current() const { return current_; }

 private:
  void append(const gate::Event& event);

  std::string service_;
  std::string domain_ = "host";
  std::string boot_id_;
  std::optional<std::int64_t> pid_namespace_;
  const host::Clock& clock_;
  const host::MemorySource& memory_;
  bool quiet_;
  const gate::GateDir* dir_ = nullptr;
  bool log_failed_ = false;
  std::set<std::string, std::less<>> told_topics_;
  std::optional<gate::Phase> current_;
  core::BootTime since_{};
};

/// One line on stderr, in one write, whatever happens to stderr.
void print_line(std::string_view line);

}  // namespace antifreeze::run
