// antifreeze gate pause, antifreeze gate resume
#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "cli/duration_text.h"
#include "cli/exit_codes.h"
#include "cli/gate_options.h"
#include "cli/json_text.h"
#include "cli/log_event.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "gate/gate_state.h"
#include "gate/pause_file.h"
#include "host/dir.h"
#include "host/dir_edit.h"

namespace antifreeze::cli {
namespace {

using core::Error;
using core::ErrorCode;

/// Only the directory's owner can pause: every container may create files there, and a pause of theirs counts as none.
core::Status check_owner(const gate::GateDir& dir, std::string_view doing) {
  const auto me = ::geteuid();
  if (me == 0 || me == dir.owner_uid()) return {};
  return Error(ErrorCode::kPermission, std::string(doing) + ": only user " + std::to_string(dir.owner_uid()) +
                                           ", who owns " + dir.path() + ", and root may do that");
}

core::Status write_pause(const gate::GateDir& dir, const gate::Pause& pause) {
  const std::string name(gate::kPauseFile);
  auto written = host::write_file_atomic(dir.fd(), name, gate::encode_pause(pause), 0644, false);
  if (!written || ::geteuid() == dir.owner_uid()) return written;
  if (::fchownat(dir.fd(), name.c_str(), dir.owner_uid(), static_cast<gid_t>(-1), AT_SYMLINK_NOFOLLOW) != 0) {
    return core::errno_error("giving the pause to the directory's owner", errno);
  }
  return {};
}

int say_paused(const Context& context, const gate::GateDir& dir, const gate::ActivePause& active,
               const TimeBase& base) {
  const auto until = core::format_rfc3339(base.wall_at(active.until));
  if (context.json) {
    context.out(json_text({{"schema", "antifreeze/gate-pause/v1"},
                           {"directory", dir.path()},
                           {"paused", true},
                           {"dry_run", context.dry_run},
                           {"reason", active.pause.reason},
                           {"by", active.pause.by},
                           {"until", until},
                           {"until_boottime_ns", active.until.ns},
                           {"boot_id", base.boot_id}}));
  }
  context.note(std::string(context.dry_run ? "would pause " : "paused ") + dir.path() + " until " + until + " (" +
               short_duration(active.until - base.boottime) + "); 'antifreeze gate resume' ends it");
  return kExitFine;
}

std::string who_asks(const Context& context) {
  const auto sudo = context.variable("SUDO_USER").value_or("");
  return "uid " + std::to_string(::getuid()) + (sudo.empty() ? "" : " (" + sudo + ")");
}

int run_pause(const Context& context, const core::ParsedOptions& parsed) {
  if (!parsed.has("for") || !parsed.has("reason")) {
    return usage_error(context, "a pause needs --for DURATION and --reason TEXT");
  }
  const auto duration = core::parse_duration(*parsed.get("for"));
  if (!duration) return usage_error(context, "--for: " + duration.error().message());
  if (*duration <= core::Nanos(0) || *duration > gate::kMaxPause) {
    return usage_error(context, "--for: a pause lasts at most " + core::format_duration(gate::kMaxPause) +
                                    " and more than 0; renew it for longer");
  }
  const auto dir = open_existing_gate(parsed);
  if (!dir) return fail(context, dir.error());
  if (auto allowed = check_owner(*dir, "gate pause"); !allowed) return fail(context, allowed.error());
  const auto identity = host::read_identity();
  if (!identity) return fail(context, identity.error());
  const TimeBase base{identity->boot_id, context.clock.boottime(), context.clock.wall()};
  const gate::Pause pause{base.boot_id, base.boottime, base.boottime + *duration, std::string(*parsed.get("reason")),
                          who_asks(context)};
  if (context.dry_run) return say_paused(context, *dir, {pause, pause.until}, base);
  if (auto written = write_pause(*dir, pause); !written)
    return fail(context, std::move(written).error().with_context("gate pause"));
  const auto active = gate::active_pause(*dir, context.clock.boottime(), base.boot_id);
  if (!active)
    return fail(context,
                Error(ErrorCode::kTampered, "gate pause: what was written does not hold; somebody replaced it"));
  return say_paused(context, *dir, *active, base);
}

int run_resume(const Context& context, const core::ParsedOptions& parsed) {
  const auto dir = open_existing_gate(parsed);
  if (!dir) return fail(context, dir.error());
  const auto identity = host::read_identity();
  if (!identity) return fail(context, identity.error());
  const auto active = gate::active_pause(*dir, context.clock.boottime(), identity->boot_id);
  if (auto allowed = check_owner(*dir, "gate resume"); !allowed) return fail(context, allowed.error());
  if (!context.dry_run) {
    // Also when it is not in force: a pause of an earlier boot, or one that somebody else put there.
    auto removed = host::unlink_at(dir->fd(), std::string(gate::kPauseFile));
    if (!removed) return fail(context, std::move(removed).error().with_context("gate resume"));
  }
  if (context.json) {
    context.out(json_text({{"schema", "antifreeze/gate-resume/v1"},
                           {"directory", dir->path()},
                           {"was_paused", active.has_value()},
                           {"dry_run", context.dry_run}}));
  }
  if (!active) {
    context.note(dir->path() + " is not paused");
  } else {
    context.note(std::string(context.dry_run ? "would end" : "ended") + " the pause of " + dir->path() + ": " +
                 core::printable(active->pause.reason, 200));
  }
  return kExitFine;
}

constexpr std::array kPauseOptions{
    core::OptionSpec{"for", "DURATION", "", "how long, at most 1h (required)"},
    core::OptionSpec{"reason", "TEXT", "", "why; whoever waits is told (required)"},
    kGateDirOption,
};
constexpr std::array kPauseExamples{
    Example{"sudo antifreeze gate pause --for 20m --reason 'driver update'", "Nothing starts for twenty minutes."},
};
constexpr std::array kResumeOptions{kGateDirOption};

}  // namespace

const Command kGatePauseVerb{
    .path = "gate pause",
    .summary = "let nothing start for a while",
    .description =
        "Pauses the gate: whoever is starting goes on, whoever waits keeps its place, and nothing new is let in until "
        "the time is up or 'antifreeze gate resume'. A pause is a lease of at most an hour, so that one that was "
        "forgotten, or whose owner died, does not stop every start for ever; another 'gate pause' renews it. It ends "
        "with the boot.",
    .operands = "",
    .options = kPauseOptions,
    .examples = kPauseExamples,
    .has_json = true,
    .handler = run_pause,
};

const Command kGateResumeVerb{
    .path = "gate resume",
    .summary = "end a pause",
    .description = "Ends a pause of the gate at once. Without a pause it does nothing and says so.",
    .operands = "",
    .options = kResumeOptions,
    .has_json = true,
    .handler = run_resume,
};

}  // namespace antifreeze::cli
