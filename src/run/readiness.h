// Is the server up? One question at a time, without blocking.
#pragma once

#include <poll.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/notify.h"
#include "host/probe.h"
#include "host/socket_owner.h"
#include "run/context.h"
#include "run/output_tap.h"
#include "run/ready_spec.h"

namespace antifreeze::run {

class Readiness {
 public:
  /// Makes what must exist before the server does: the notify socket, the output pipes, the list of sockets that
  /// listen already.
  static core::Result<std::unique_ptr<Readiness>> make(Context& context, ReadySpec spec);

  /// For the server: NOTIFY_SOCKET's value, or "".
  [[nodiscard]] std::string notify_socket() const;
  /// For the server's stdout and stderr; nullptr when they are left alone.
  OutputTap* tap() { return tap_ ? &*tap_ : nullptr; }

  /// The server was started below process `keeper`.
  void started(pid_t keeper, core::MonoTime now);

  /// Whether the server is asked at all; otherwise it counts as up as soon as it runs.
  [[nodiscard]] bool asks() const { return spec_.kind != ReadySpec::Kind::kNone; }

  struct Answer {
    bool ready = false;
    std::string text;  ///< how we know, or what was seen last
  };
  /// Goes one step on. Cheap when nothing has happened.
  Answer step(core::MonoTime now);
  void add_pollfds(std::vector<pollfd>& fds) const;
  /// When step() wants to be called again even if nothing happens.
  [[nodiscard]] core::MonoTime next_step(core::MonoTime now) const;
  /// A child of this process ended; true when it was ours (cmd:).
  bool child_ended(pid_t pid, int wait_status, core::MonoTime now);
  /// No more questions; output and notifications still pass through.
  void stop();
  /// Moves on what the server prints and, once there are no more questions, what it notifies: a socket that nobody
  /// reads would block it for ever. Call it whenever something happened.
  void pass_on();

 private:
  Readiness(Context& context, ReadySpec spec) : context_(context), spec_(std::move(spec)) {}
  core::Status prepare();
  Answer step_socket(core::MonoTime now);
  Answer judge(const host::ProbeResult& result, core::MonoTime now);
  Answer step_notify();
  Answer step_command(core::MonoTime now);
  Answer who_answers(core::MonoTime now);
  [[nodiscard]] host::SocketFinding find_owner() const;
  Answer after_ready(std::string text, core::MonoTime now);
  void schedule(core::MonoTime now);
  void kill_command() const;
  [[nodiscard]] bool is_from_our_server(const host::NotifyMessage& message) const;

  Context& context_;
  ReadySpec spec_;
  host::SocketProbe probe_;
  std::optional<host::NotifySocket> listener_;
  std::optional<OutputTap> tap_;
  std::vector<std::uint64_t> baseline_;  ///< sockets that listened there before the exec
  pid_t keeper_ = 0;
  pid_t command_ = 0;
  core::MonoTime command_deadline_{};
  std::optional<int> command_status_;
  core::MonoTime started_{};
  core::MonoTime next_ask_{};
  bool asking_ = false;
  bool preloading_ = false;
  bool stopped_ = false;
  int clean_answers_ = 0;  ///< in a row, while somebody else listens on the same port
  std::string last_;
  std::string told_;
};

}  // namespace antifreeze::run
