// antifreeze runtime install
#include <array>

#include "cli/exit_codes.h"
#include "cli/gate_options.h"
#include "cli/runtime_options.h"
#include "cli/verbs.h"
#include "runtime_setup/setup_act.h"

namespace antifreeze::cli {
namespace {

int run_install(const Context& context, const core::ParsedOptions& parsed) {
  runtime::Settings settings;
  settings.gate_dir = gate_dir_of(parsed);
  const auto take = [&parsed](std::string_view name, std::string& into) {
    if (const auto value = parsed.get(name)) into = *value;
  };
  take("config", settings.config);
  take("runc", settings.runc);
  take("nvidia-runtime", settings.nvidia);
  const auto report =
      runtime_setup::install(runtime_paths(parsed), settings, parsed.has("only-copies"), context.dry_run);
  if (!report) return fail(context, report.error());
  show_report(context, "install", *report);
  if (!context.dry_run && !parsed.has("only-copies")) {
    context.note("next: 'runtime: antifreeze' (or antifreeze-nvidia) for each server, and create its container anew");
  }
  return kExitFine;
}

constexpr std::array kOptions{
    kDaemonJsonOption,
    kRuntimeDirOption,
    kDockerRootOption,
    kDockerPidOption,
    kGateDirOption,
    core::OptionSpec{"config", "FILE", "/etc/antifreeze/antifreeze.toml", "where priorities stand"},
    core::OptionSpec{"runc", "PROGRAM", "runc", "the real runtime behind 'antifreeze'"},
    core::OptionSpec{"nvidia-runtime", "PROGRAM", "nvidia-container-runtime",
                     "the real runtime behind 'antifreeze-nvidia'"},
    core::OptionSpec{"only-copies", "", "", "renew what is installed already, touch neither daemon.json nor dockerd"},
};
constexpr std::array kExamples{
    Example{"antifreeze runtime install --dry-run", "The lines that daemon.json would get."},
    Example{"sudo antifreeze runtime install", "Once per host; again, after something rewrote daemon.json."},
    Example{"docker run --runtime antifreeze-nvidia --gpus all IMAGE vllm serve MODEL", "A gated server."},
};

}  // namespace

const Command kRuntimeInstallVerb{
    .path = "runtime install",
    .summary = "give Docker the runtimes that put the gate in front of containers",
    .description =
        "Adds two runtimes to Docker's daemon.json: antifreeze (in front of runc) and antifreeze-nvidia (in front of "
        "nvidia-container-runtime). Every other key, its order and its layout stay; default-runtime is never touched. "
        "The difference is shown, dockerd checks it where it can (23.0 and newer), the file is replaced in one step "
        "and "
        "dockerd is asked to read it again. A copy of the program lies in --runtime-dir, so that a container that "
        "names "
        "the runtime starts also after the package is gone.\n\n"
        "A container with one of these runtimes gets the gate when a GPU is asked for and its command starts a known "
        "engine; ANTIFREEZE=1 or 0 in its environment, or the annotation antifreeze.gate, decides otherwise. Whatever "
        "goes wrong, the container starts as it would have, and a line in the journal and in runtime.log says why.\n\n"
        "Tested with Debian's Docker 20.10 and runc. What nobody has run here: the real nvidia-container-runtime (a "
        "stand-in that notes how it was called takes its place), Docker with SELinux (such containers are handed on "
        "without the gate), 'dockerd --validate'.",
    .operands = "",
    .options = kOptions,
    .examples = kExamples,
    .has_json = true,
    .handler = run_install,
};

}  // namespace antifreeze::cli
