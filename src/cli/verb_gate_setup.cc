// antifreeze gate setup
#include <unistd.h>

#include <array>

#include "cli/exit_codes.h"
#include "cli/gate_options.h"
#include "cli/gate_setup.h"
#include "cli/json_text.h"
#include "cli/verbs.h"

namespace antifreeze::cli {
namespace {

int run_setup(const Context& context, const core::ParsedOptions& parsed) {
  if (const auto fine = check_gate_dir(parsed); !fine) return usage_error(context, fine.error().message());
  const auto identity = host::read_identity();
  if (!identity) return fail(context, identity.error());
  const auto options = setup_options(context, parsed, identity->boot_id);
  const auto report = gate::setup(options, context.clock);
  if (!report) return fail_as(context, report.error(), ::geteuid());
  if (!context.quiet) {
    for (const auto& warning : report->warnings) context.err("antifreeze: " + warning + "\n");
  }
  if (context.json) {
    Json out{{"schema", "antifreeze/gate-setup/v1"},
             {"directory", options.paths.gate_dir},
             {"state_directory", options.paths.state_dir},
             {"dry_run", context.dry_run},
             {"steps", report->steps},
             {"warnings", report->warnings},
             {"safe_boot", report->safe_boot.safe_boot}};
    if (report->safe_boot.safe_boot) out["safe_boot_reason"] = report->safe_boot.reason;
    context.out(json_text(out));
  }
  for (const auto& step : report->steps) context.note((context.dry_run ? "would " : "") + step);
  if (report->steps.empty()) context.note(options.paths.gate_dir + " is set up already");
  if (report->safe_boot.safe_boot) {
    context.note("safe boot: " + report->safe_boot.reason + "; 'antifreeze gate reset --safe-boot' goes on");
  }
  return kExitFine;
}

constexpr std::array kOptions{kGateDirOption, kStateDirOption, kNoMountOption};
constexpr std::array kExamples{
    Example{"antifreeze gate setup --dry-run", "What would be done, step by step."},
    Example{"sudo antifreeze gate setup", "Once by hand; antifreeze-gate.service does it at each boot."},
};

}  // namespace

const Command kGateSetupVerb{
    .path = "gate setup",
    .summary = "make the host's gate directory",
    .description =
        "Makes the gate directory that all containers and units of this machine share: a small tmpfs of its own, the "
        "registry, what was saved before the last shutdown, and last gate.id, which marks it as the host's. Doing it "
        "again changes nothing. It must be there before Docker starts: a bind mount of a missing directory makes an "
        "empty one, which wrappers refuse.\n\n"
        "It is not taken down again before the next boot, on purpose: containers that run hold the directory by their "
        "mount, and would go on with an orphan while others use a new one.",
    .operands = "",
    .options = kOptions,
    .examples = kExamples,
    .has_json = true,
    .handler = run_setup,
};

}  // namespace antifreeze::cli
