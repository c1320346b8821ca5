// antifreeze runtime remove
#include <array>

#include "cli/exit_codes.h"
#include "cli/runtime_options.h"
#include "cli/verbs.h"
#include "runtime_setup/setup_act.h"

namespace antifreeze::cli {
namespace {

int run_remove(const Context& context, const core::ParsedOptions& parsed) {
  const auto report = runtime_setup::remove(runtime_paths(parsed), parsed.has("force"), context.dry_run);
  if (!report) return fail(context, report.error());
  show_report(context, "remove", *report);
  if (!report->users.empty()) {
    for (const auto& user : report->users) {
      context.err("antifreeze: " + user.name + " (" + user.id + ") names the runtime " + user.runtime + "\n");
    }
    context.err(
        "antifreeze: the runtime stays as a pass-through, without the gate; create these containers anew with "
        "another runtime, then 'antifreeze runtime remove' again\n");
    return kExitFindings;
  }
  if (report->steps.empty()) context.note("nothing is installed");
  return kExitFine;
}

constexpr std::array kOptions{
    kDaemonJsonOption, kRuntimeDirOption, kDockerRootOption, kDockerPidOption,
    core::OptionSpec{"force", "", "", "also while containers name it: those cannot start until they are created anew"}};
constexpr std::array kExits{ExitCode{1, "containers still name the runtime: it stays, as a pass-through"}};
constexpr std::array kExamples{
    Example{"antifreeze runtime remove --dry-run", "What would go."},
    Example{"sudo antifreeze runtime remove", "daemon.json as it was before, byte for byte."},
};

}  // namespace

const Command kRuntimeRemoveVerb{
    .path = "runtime remove",
    .summary = "take the runtimes out of Docker again",
    .description =
        "Undoes 'runtime install'. Where nobody else has changed daemon.json since, it is restored byte for byte; else "
        "only our two entries go. While a container, running or not, names one of the runtimes, the entries and the "
        "program stay and hand everything on untouched, so that the container can still start: removing a package must "
        "not break it.",
    .operands = "",
    .options = kOptions,
    .exits = kExits,
    .examples = kExamples,
    .has_json = true,
    .handler = run_remove,
};

}  // namespace antifreeze::cli
