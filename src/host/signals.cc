#include "host/signals.h"

#include <sys/time.h>

#include <atomic>
#include <cerrno>
#include <ctime>

namespace antifreeze::host {
namespace {

// The only state outside objects: a handler has nothing else to reach.
std::atomic<SignalSet> g_noted{0};
static_assert(std::atomic<SignalSet>::is_always_lock_free);

void note(int signal) { g_noted.fetch_or(signal_bit(signal), std::memory_order_relaxed); }

/// Left alone: what the kernel sends for our own faults, what stops a process, and what cannot be caught. 32 and 33 are
/// the C library's own.
bool is_caught(int signal) {
  switch (signal) {
    case SIGKILL:
    case SIGSTOP:
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGTRAP:
    case SIGSYS:
    case SIGABRT:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case 32:
    case 33:
      return false;
    default:
      return signal >= 1 && signal <= 64;
  }
}

constexpr int kFirstRealtime = 34;
constexpr suseconds_t kTickMicros = 250'000;

void set_timer(suseconds_t micros) {
  const itimerval timer{{0, micros}, {0, micros}};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

Signals::Signals() {
  sigset_t caught;
  sigemptyset(&caught);
  for (int signal = 1; signal <= 64; ++signal) {
    if (is_caught(signal) && (signal >= kFirstRealtime || catch_one(signal)) && signal != SIGPIPE) {
      sigaddset(&caught, signal);
    }
  }
  ::sigprocmask(SIG_BLOCK, &caught, &original_mask_);
  open_mask_ = original_mask_;
  for (int signal = 1; signal <= 64; ++signal) {
    if (sigismember(&caught, signal) != 1) continue;
    if (signal < kFirstRealtime)
      sigdelset(&open_mask_, signal);
    else
      sigaddset(&open_mask_, signal);
  }
}

bool Signals::catch_one(int signal) {
  struct sigaction action{};
  action.sa_handler = signal == SIGPIPE ? SIG_IGN : note;
  sigfillset(&action.sa_mask);
  struct sigaction old{};
  if (::sigaction(signal, &action, &old) != 0) return false;
  // What whoever started us ignores (nohup) stays ignored; SIGCHLD and SIGALRM ignored would break us.
  if (old.sa_handler != SIG_IGN || signal == SIGCHLD || signal == SIGALRM) return true;
  ignored_ |= signal_bit(signal);
  ::sigaction(signal, &old, nullptr);
  return false;
}

void Signals::catch_realtime() {
  for (int signal = kFirstRealtime; signal <= 64; ++signal) {
    if (catch_one(signal)) sigdelset(&open_mask_, signal);
  }
}

SignalSet Signals::take() { return g_noted.exchange(0, std::memory_order_relaxed); }
SignalSet Signals::noted() { return g_noted.load(std::memory_order_relaxed); }

core::Status Signals::wait(std::span<pollfd> fds, std::optional<core::Nanos> timeout) const {
  if (noted() != 0) timeout = core::Nanos(0);
  timespec spec{};
  if (timeout) {
    const auto ns = timeout->count() > 0 ? timeout->count() : 0;
    spec = {ns / 1'000'000'000, ns % 1'000'000'000};
  }
  const int ready = ::ppoll(fds.data(), fds.size(), timeout ? &spec : nullptr, &open_mask_);
  if (ready >= 0) return {};
  for (auto& fd : fds) fd.revents = 0;
  if (errno == EINTR) return {};
  return core::errno_error("poll", errno);
}

void Signals::open_with_timer() const {
  set_timer(kTickMicros);
  ::sigprocmask(SIG_SETMASK, &open_mask_, nullptr);
}

void Signals::close_with_timer() const {
  const int kept = errno;
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  set_timer(0);
  // Back to "our signals blocked": everything the original mask had, and what we catch.
  sigset_t mask = original_mask_;
  for (int signal = 1; signal <= 64; ++signal) {
    if (is_caught(signal) && signal != SIGPIPE && (ignored_ & signal_bit(signal)) == 0) sigaddset(&mask, signal);
  }
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  errno = kept;
}

void Signals::restore_for_exec() const {
  // exec(2) itself puts handlers back to the default; only what is ignored stays so.
  if ((ignored_ & signal_bit(SIGPIPE)) == 0) ::signal(SIGPIPE, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &original_mask_, nullptr);
}

bool is_forwarded(int signal) {
  return is_caught(signal) && signal != SIGCHLD && signal != SIGALRM && signal != SIGPIPE;
}

}  // namespace antifreeze::host
