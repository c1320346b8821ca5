#include "cli/commands.h"

#include <algorithm>
#include <array>

#include "cli/verbs.h"
#include "core/text.h"

namespace antifreeze::cli {
namespace {

constexpr std::array<const Command*, 16> kCommands{
    &kAutopsyVerb,       &kExplainVerb,    &kRunVerb,       &kGateStatusVerb, &kGateLogVerb,        &kGateResetVerb,
    &kGatePauseVerb,     &kGateResumeVerb, &kGateSetupVerb, &kGateKeepVerb,   &kRuntimeInstallVerb, &kRuntimeStatusVerb,
    &kRuntimeRemoveVerb, &kCompletionVerb, &kVersionVerb,   &kHelpVerb,
};

constexpr std::array kGlobalOptions{
    core::OptionSpec{"json", "", "",
                     "one JSON object (streams: JSON lines) instead of text; text may change, this may not"},
    core::OptionSpec{"quiet", "", "", "say only what a person must know", 'q'},
    core::OptionSpec{"dry-run", "", "", "change nothing, say what would be done"},
    core::OptionSpec{"help", "", "", "print this help", 'h'},
    core::OptionSpec{"version", "", "", "print the version", 'V'},
};

}  // namespace

std::span<const Command* const> commands() { return kCommands; }

std::span<const core::OptionSpec> global_options() { return kGlobalOptions; }

std::string_view common_exit_text() {
  return "0 fine; 1 findings; 2 usage; 65 a file is not what it should be; 66 it does not exist; 69 this machine or "
         "file system cannot do it; 70 a bug; 71 a system call failed; 73 no space; 75 try again; 77 not permitted";
}

const Command* find_command(std::string_view path) {
  const auto it = std::ranges::find(kCommands, path, &Command::path);
  return it == kCommands.end() ? nullptr : *it;
}

bool is_group(std::string_view word) {
  return std::ranges::any_of(kCommands, [&](const Command* command) {
    return command->path.size() > word.size() && command->path.starts_with(word) && command->path[word.size()] == ' ';
  });
}

std::string_view nearest(std::string_view typed, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t distance = 4;  // further away than three edits it is no typing error
  for (const auto name : known) {
    // Two thirds of a short word changed is another word.
    const auto edits = core::edit_distance(typed, name);
    if (edits < distance && edits * 2 < std::max(typed.size(), name.size()) + 1) {
      distance = edits;
      best = name;
    }
  }
  return best;
}

std::string_view nearest_command(std::string_view typed) {
  std::vector<std::string_view> known;
  for (const auto* command : kCommands) known.push_back(command->path);
  return nearest(typed, known);
}

std::string Command::page_name() const {
  std::string name = "antifreeze-" + std::string(path);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string Command::usage() const {
  std::string text = "antifreeze " + std::string(path) + " [OPTIONS]";
  if (!operands.empty()) text += " " + std::string(operands);
  return text;
}

}  // namespace antifreeze::cli
