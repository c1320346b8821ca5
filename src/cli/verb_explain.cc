// antifreeze explain
#include <array>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/explain_view.h"
#include "cli/knowledge_dir.h"
#include "cli/verbs.h"
#include "core/text.h"

namespace antifreeze::cli {
namespace {

int unknown_id(const Context& context, const std::string& id, const signs::Catalogue& catalogue) {
  const auto ids = explained_ids(catalogue);
  const std::vector<std::string_view> known(ids.begin(), ids.end());
  const auto near = nearest(id, known);
  return usage_error(context, "no id '" + core::printable(id, 60) + "'" +
                                  (near.empty() ? "; `antifreeze explain` lists them"
                                                : "; did you mean '" + std::string(near) + "'?"));
}

int run_explain(const Context& context, const core::ParsedOptions& parsed) {
  const auto catalogue = load_knowledge(context);
  if (!catalogue) return fail(context, catalogue.error());
  if (parsed.operands.empty()) {
    if (context.json) {
      context.out(json_text({{"schema", "antifreeze/explain/v1"}, {"ids", explained_ids(*catalogue)}}));
    } else {
      context.out(explain_list(*catalogue, context.columns));
    }
    return kExitFine;
  }
  std::string id;  // "Xid 79" is two words
  for (const auto& word : parsed.operands) id += (id.empty() ? "" : " ") + word;
  const auto found = explain(id, *catalogue);
  if (found.empty()) return unknown_id(context, id, *catalogue);
  context.out(context.json ? json_text(explain_json(id, found)) : explain_text(found, context.columns));
  return kExitFine;
}

constexpr std::array kExamples{
    Example{"antifreeze explain traceless",
            "What that ending means, and what to do so that the next one leaves a trace."},
    Example{"antifreeze explain Xid 79", "A number of the NVIDIA driver."},
    Example{"antifreeze explain", "All ids."},
};

}  // namespace

const Command kExplainVerb{
    .path = "explain",
    .summary = "what an id in a finding means",
    .description =
        "Says what an ending, a cause, a sign, a test, an Xid number or a fix means, what it is mistaken for, where "
        "that "
        "is known from, and what to do about it, with commands. Without an id it lists all of them.",
    .operands = "[ID]",
    .max_operands = 2,
    .examples = kExamples,
    .has_json = true,
    .handler = run_explain,
};

}  // namespace antifreeze::cli
