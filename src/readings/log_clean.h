// What terminals, editors, mail and forums do to a log line, undone.
#pragma once

#include <string>
#include <string_view>

namespace antifreeze::readings {

/// Without CR, NULs, colours, "> " quoting and an editor's line number. `buffer` holds the result where it had to be
/// written anew.
std::string_view clean_log_line(std::string_view line, std::string& buffer);

/// "-- Boot 0123… --", "-- Reboot --", "-- Journal begins at … --": `boot_id` gets the id, or nothing.
bool is_boot_separator(std::string_view line, std::string_view& boot_id);

/// Whether `line` is of the kind that mail and forums break: only after such a one is a second half looked for.
bool may_be_broken(std::string_view line);

/// Whether an unstamped `line` is the second half of the message before it: the driver's long lines break between "]"
/// and "(0x".
bool continues_line(std::string_view before, std::string_view line);

}  // namespace antifreeze::readings
