// antifreeze gate status
#include <array>

#include "cli/exit_codes.h"
#include "cli/gate_options.h"
#include "cli/gate_view.h"
#include "cli/gate_view_text.h"
#include "cli/verbs.h"

namespace antifreeze::cli {
namespace {

int run_status(const Context& context, const core::ParsedOptions& parsed) {
  if (const auto fine = check_gate_dir(parsed); !fine) return usage_error(context, fine.error().message());
  const auto readings = read_gate(gate_dir_of(parsed), context.clock);
  if (!readings) return fail(context, readings.error());
  const auto view = make_gate_view(*readings);
  context.out(context.json ? json_text(gate_view_json(view)) : gate_view_text(view, context.colour));
  return kExitFine;
}

constexpr std::array kOptions{kGateDirOption};
constexpr std::array kExamples{
    Example{"antifreeze gate status", "Who starts, who waits, who is held, and why."},
    Example{"antifreeze gate status --json | jq -r '.queue[].service'", "The queue, for a script."},
};

}  // namespace

const Command kGateStatusVerb{
    .path = "gate status",
    .summary = "who starts, who waits, who is held, and why",
    .description =
        "Shows the gate as it is at this moment: whose gate directory it is, a pause or a safe boot, who holds the "
        "gate "
        "and for how much longer, the queue in the order in which it will be served, starts that died, services "
        "that wait without a place in the queue (for memory, after failed starts, held) and why, and what is ready as "
        "far as the log says.\n\n"
        "It only looks: it takes no lock and writes nothing, so it can be run as often as you like, also while "
        "everything starts. As root it names the processes that hold the tickets by their host pids.",
    .operands = "",
    .options = kOptions,
    .examples = kExamples,
    .has_json = true,
    .handler = run_status,
};

}  // namespace antifreeze::cli
