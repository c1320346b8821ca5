// The reference in docs/reference, in Markdown.
#pragma once

#include <string>

#include "cli/command.h"

namespace antifreeze::cli {

/// antifreeze.md: the list of verbs.
std::string program_markdown();
/// One verb's page.
std::string command_markdown(const Command& command);

}  // namespace antifreeze::cli
