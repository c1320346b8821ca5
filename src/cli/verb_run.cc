// antifreeze run -- CMD ARGS…: the same code as antifreeze-run.
#include "cli/verbs.h"
#include "run/options_table.h"
#include "run/run.h"

namespace antifreeze::cli {
namespace {

int run_run(const Context& context, std::span<const std::string_view> args) {
  return run::run_main(args, context.environment, "antifreeze run");
}

constexpr std::array kExits{
    ExitCode{0, "the command's own exit code is passed on, whatever it is"},
    ExitCode{2, "usage"},
    ExitCode{125, "antifreeze itself failed: no gate, the wait time-out, no memory"},
    ExitCode{126, "the command is not executable"},
    ExitCode{127, "the command was not found"},
    ExitCode{143, "asked to end while it waited (128 + SIGTERM)"},
};

constexpr std::array kExamples{
    Example{"antifreeze run --name chat --priority 5 -- vllm serve Qwen/Qwen3-8B --port 8000",
            "Queue, start, wait for /health and for stable memory, then let the next one go."},
    Example{"antifreeze run --hold-until-exit -- python train.py", "Nothing else starts while this job runs."},
    Example{"docker run --entrypoint /antifreeze-run -v /usr/lib/antifreeze/antifreeze-run:/antifreeze-run:ro "
            "-v /run/antifreeze/gate:/run/antifreeze/gate IMAGE -- vllm serve MODEL",
            "The static program works in any image, also as PID 1."},
};

}  // namespace

const Command kRunVerb{
    .path = "run",
    .summary = "start one server through the gate",
    .description =
        "Waits until no other server of this machine is starting, starts the command, holds the gate until the command "
        "answers as ready and memory has settled, and then stays as its supervisor: signals are passed on, zombies "
        "are reaped, and the exit code is the command's own.\n\n"
        "'antifreeze run' and the static program antifreeze-run are the same code; antifreeze-run works as PID 1 in "
        "any image, also an empty one. The package installs it as /usr/lib/antifreeze/antifreeze-run, with a link in "
        "/usr/bin.\n\n"
        "A service that failed to start again and again is held: it stays up without starting anything until "
        "'antifreeze gate reset NAME'. 'antifreeze gate status' shows queue, holder and held services.\n\n"
        "A command whose stated share of memory, with the reserve, is more than the machine has is held at once. A "
        "command that is itself antifreeze-run, behind one that holds the gate for it, runs as it is.\n\n"
        "ANTIFREEZE_SHARED=1 in the environment accepts only the host's own gate directory, which 'antifreeze gate "
        "setup' has marked, and refuses any other.",
    .operands = "-- CMD ARGS…",
    .options = run::kRunOptions,
    .exits = kExits,
    .examples = kExamples,
    .raw = run_run,
};

}  // namespace antifreeze::cli
