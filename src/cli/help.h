// --help in its three sizes: the program, a group of verbs ("gate"), one verb.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"

namespace antifreeze::cli {

std::string program_help();
std::string group_help(std::string_view group);
std::string command_help(const Command& command);

/// "antifreeze 0.1.0\n".
std::string version_line();
/// "0.1.0".
std::string_view version();

/// Breaks paragraphs into lines of at most `width` characters; empty lines stay. Each line gets `indent` blanks.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace antifreeze::cli
