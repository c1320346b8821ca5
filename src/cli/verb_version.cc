// antifreeze version
#include <nlohmann/json.hpp>

#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/json_text.h"
#include "cli/verbs.h"

namespace antifreeze::cli {
namespace {

int run_version(const Context& context, const core::ParsedOptions&) {
  if (context.json) {
    context.out(json_text({{"schema", "antifreeze/version/v1"}, {"version", version()}}));
  } else {
    context.out(version_line());
  }
  return kExitFine;
}

}  // namespace

const Command kVersionVerb{
    .path = "version",
    .summary = "print the version",
    .description = "Prints the version of this program.",
    .operands = "",
    .has_json = true,
    .handler = run_version,
};

}  // namespace antifreeze::cli
