// Shell completions, made from the command table.
#pragma once

#include <string>

namespace antifreeze::cli {

/// For antifreeze and antifreeze-run, to be put where the shell looks (or sourced).
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace antifreeze::cli
