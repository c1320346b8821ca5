// From the words of the command line to a verb's handler.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/context.h"
#include "core/options.h"
#include "core/result.h"

namespace antifreeze::cli {

/// Runs the verb that `args` (without the program's name) ask for. `context` is completed with the global options.
/// Returns the exit code.
int dispatch(Context context, std::span<const std::string_view> args);

/// Like core::parse_options, but options may also stand behind operands ("gate reset chat --dry-run"), up to "--".
core::Result<core::ParsedOptions> parse_anywhere(std::span<const core::OptionSpec> specs,
                                                 std::span<const std::string_view> args);

}  // namespace antifreeze::cli
