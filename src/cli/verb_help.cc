// antifreeze help [VERB]
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/verbs.h"
#include "core/text.h"

namespace antifreeze::cli {
namespace {

int run_help(const Context& context, const core::ParsedOptions& parsed) {
  std::string path;
  for (const auto& word : parsed.operands) path += (path.empty() ? "" : " ") + word;
  if (path.empty()) {
    context.out(program_help());
  } else if (const auto* command = find_command(path)) {
    context.out(command_help(*command));
  } else if (is_group(path)) {
    context.out(group_help(path));
  } else {
    const auto near = nearest_command(path);
    return usage_error(context, "unknown verb '" + core::printable(path) + "'" +
                                    (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?"));
  }
  return kExitFine;
}

}  // namespace

const Command kHelpVerb{
    .path = "help",
    .summary = "say how a verb is used",
    .description = "Prints the list of verbs, or the help of one verb or group of verbs.",
    .operands = "[VERB]",
    .max_operands = 2,
    .handler = run_help,
};

}  // namespace antifreeze::cli
