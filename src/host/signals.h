// Signals of a single-threaded program, without races: they stay blocked except inside the two waits below, so that a
// signal is either noted before a wait (which then returns at once) or interrupts it.
#pragma once

#include <poll.h>
#include <signal.h>

#include <cstdint>
#include <optional>
#include <span>

#include "core/result.h"
#include "core/time.h"

namespace antifreeze::host {

/// Signals noted since they were last taken: bit N stands for signal N.
using SignalSet = std::uint64_t;
constexpr SignalSet signal_bit(int signal) { return SignalSet{1} << (signal - 1); }

class Signals {
 public:
  /// Installs handlers without SA_RESTART for everything that a supervisor may send, SIGCHLD and SIGALRM, and blocks
  /// them, the real-time signals as well. What was ignored on entry (nohup) stays ignored. One object a process.
  Signals();

  /// The real-time signals too, which nothing but a server can want: until then they are kept waiting. Thirty system
  /// calls, which is why they are made when the server is running.
  void catch_realtime();

  /// What arrived since the last call.
  static SignalSet take();
  /// The same, left noted.
  static SignalSet noted();

  /// poll(2) with the signals open; returns early when one arrives, at once when one was already noted. nullopt = for
  /// ever. An error is one of the machine (ENOMEM), never EINTR.
  core::Status wait(std::span<pollfd> fds, std::optional<core::Nanos> timeout) const;

  /// Runs `call` (one blocking system call) with the signals open and SIGALRM coming every 250 ms, which also covers a
  /// signal that arrives between opening them and falling asleep (rule W2).
  template <typename Call>
  auto interruptible(Call call) const {
    open_with_timer();
    auto result = call();
    close_with_timer();
    return result;
  }

  /// For a child between fork and exec: everything as this program found it.
  void restore_for_exec() const;

 private:
  bool catch_one(int signal);
  void open_with_timer() const;
  void close_with_timer() const;

  sigset_t original_mask_{};
  sigset_t open_mask_{};
  SignalSet ignored_ = 0;
};

/// Signals that are passed on to the server: all that we catch but SIGCHLD and SIGALRM.
bool is_forwarded(int signal);

}  // namespace antifreeze::host
