// The one table of verbs. Adding a verb is its own file, one line in verbs.h and one line here.
#pragma once

#include <span>
#include <string_view>

#include "cli/command.h"

namespace antifreeze::cli {

/// All verbs, in the order in which help lists them.
std::span<const Command* const> commands();

/// The verb with exactly this path; nullptr when there is none.
const Command* find_command(std::string_view path);

/// Whether `word` is the first word of verbs that have two ("gate").
bool is_group(std::string_view word);

/// The nearest of `known` to a mistyped word, at most three edits away; "" when none is near.
std::string_view nearest(std::string_view typed, std::span<const std::string_view> known);

/// The nearest verb to a mistyped one.
std::string_view nearest_command(std::string_view typed);

}  // namespace antifreeze::cli
