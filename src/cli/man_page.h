// Manual pages, in man(7).
#pragma once

#include <string>

#include "cli/command.h"

namespace antifreeze::cli {

/// antifreeze(1): the list of verbs.
std::string program_man_page();
/// One verb's page, antifreeze-VERB(1).
std::string command_man_page(const Command& command);

}  // namespace antifreeze::cli
