// antifreeze-run, and `antifreeze run`: one start through the gate, from the command line to the exit code.
#pragma once

#include <span>
#include <string_view>

namespace antifreeze::run {

/// `args` without the program's name. `program` is how it calls itself in --help ("antifreeze-run", "antifreeze run").
/// Returns the exit code: the server's, 128 + signal, or one of ours (2, 125, 126, 127).
int run_main(std::span<const std::string_view> args, char** environment, std::string_view program);

}  // namespace antifreeze::run
