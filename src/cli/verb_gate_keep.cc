// antifreeze gate keep: the host's side of the gate, as a daemon.
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "cli/exit_codes.h"
#include "cli/gate_options.h"
#include "cli/gate_setup.h"
#include "cli/verbs.h"
#include "gate/keep_loop.h"
#include "host/notify.h"

namespace antifreeze::cli {
namespace {

/// SIGTERM, SIGINT and SIGHUP as a readable descriptor. SIGHUP too: its default would end us without the last save.
core::Result<core::Fd> stop_descriptor() {
  sigset_t stop;
  sigemptyset(&stop);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&stop, signal);
  if (::sigprocmask(SIG_BLOCK, &stop, nullptr) != 0) return core::errno_error("blocking signals", errno);
  core::Fd fd(::signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.valid()) return core::errno_error("signalfd", errno);
  return fd;
}

class Daemon {
 public:
  explicit Daemon(const Context& context)
      : context_(context), socket_(context.variable("NOTIFY_SOCKET").value_or("")) {}

  void tell_systemd(std::string_view text) const {
    // Nobody listening is systemd's business, not a reason to stop keeping.
    if (!socket_.empty()) (void)host::notify_send(socket_, text).has_value();
  }
  void say(std::string_view line) const { context_.err("antifreeze: gate keep: " + std::string(line) + "\n"); }

 private:
  const Context& context_;
  std::string socket_;
};

int run_keep(const Context& context, const core::ParsedOptions& parsed) {
  const Daemon daemon(context);
  // Blocked before anything is done: a stop that comes during the set-up is obeyed right after it.
  const auto stop = stop_descriptor();
  if (!stop) return fail(context, stop.error());
  if (const auto fine = check_gate_dir(parsed); !fine) return usage_error(context, fine.error().message());
  const auto identity = host::read_identity();
  if (!identity) return fail(context, identity.error());
  const auto options = setup_options(context, parsed, identity->boot_id);
  const auto made = gate::setup(options, context.clock);
  if (!made) return fail_as(context, made.error(), ::geteuid());
  for (const auto& step : made->steps) {
    if (!context.quiet) daemon.say((context.dry_run ? "would " : "") + step);
  }
  for (const auto& warning : made->warnings) daemon.say(warning);
  if (made->safe_boot.safe_boot) daemon.say("safe boot: " + made->safe_boot.reason);
  if (context.dry_run) return kExitFine;

  daemon.tell_systemd("READY=1\nSTATUS=keeping " + options.paths.gate_dir);
  // Every orderly end counts as the boot's: which one is the last cannot be known, and a keeper that is started again
  // takes it back. Stopping it by hand and then crashing is the one case that this gets wrong.
  const auto kept = gate::keep_loop({options.paths, options.boot_id, true}, stop->get(), context.clock,
                                    [&](std::string_view line) { daemon.say(line); });
  daemon.tell_systemd("STOPPING=1");
  if (!kept) return fail_as(context, core::Error(kept.error()).with_context("gate keep"), ::geteuid());
  return kExitFine;
}

constexpr std::array kOptions{kGateDirOption, kStateDirOption, kNoMountOption};

}  // namespace

const Command kGateKeepVerb{
    .path = "gate keep",
    .summary = "the host's side as a daemon: set up, then save what outlives a reboot",
    .description =
        "What antifreeze-gate.service runs. Does what 'gate setup' does, tells systemd that it is ready, and then "
        "saves "
        "breakers and event log to the state directory within a second of every change. SIGTERM ends it after a last "
        "save and notes that this boot ended in an orderly way. With --dry-run it says what it would set up and ends.",
    .operands = "",
    .options = kOptions,
    .handler = run_keep,
};

}  // namespace antifreeze::cli
