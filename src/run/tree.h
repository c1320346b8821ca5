// The server's process tree: looking at it, ending it.
#pragma once

#include <sys/types.h>

#include <optional>

#include "core/time.h"
#include "host/proc_tree.h"

namespace antifreeze::run {

/// Sends SIGTERM to every descendant of this process; process group `server` gets it when /proc shows no descendant.
void ask_tree_to_end(const host::ProcTree& processes, pid_t server);

/// Pauses between two rounds of kill_tree, from the first to the longest: what dies slowly need not be asked often.
inline constexpr core::Nanos kKillSoon = std::chrono::milliseconds(1);
inline constexpr core::Nanos kKillAgain = std::chrono::milliseconds(50);

/// One round of ending every descendant of this process, called again after `pause` until none is left; returns the
/// next pause. `server` is stopped first and ended last, or when the longest pause is reached: its environment names
/// the ticket, which engines overwrite in theirs (setproctitle), so that whoever comes after a wrapper that was killed
/// in the middle of this still finds that something is left (rule H1).
core::Nanos kill_tree(const host::ProcTree& processes, pid_t server, core::Nanos pause);

/// Whether `pid` is a descendant of `root`.
bool is_below(const host::ProcTree& processes, pid_t pid, pid_t root);

/// What all descendants of `root` have used.
host::TreeUsage usage_below(const host::ProcTree& processes, pid_t root);

/// What waiting for children gave.
struct Reaped {
  std::optional<int> status_of_main;  ///< wait status of `main`, when it was among them
  bool none_left = false;             ///< ECHILD: this process has no child at all
};
/// Reaps every child that has ended, without waiting.
Reaped reap_children(pid_t main);

/// A wait status as a shell tells it: the exit code, or 128 + signal.
int exit_code_of(int wait_status);

}  // namespace antifreeze::run
