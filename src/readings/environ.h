// /proc/PID/environ and /proc/PID/cmdline: strings that end in NUL.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace antifreeze::readings {

/// The NUL-terminated strings of `text`, empty ones kept; a last string without its NUL counts too.
std::vector<std::string_view> split_nul(std::string_view text);

/// Value of the first "KEY=VALUE", as getenv would find it; nullopt when there is none or `key` is empty.
std::optional<std::string_view> find_in_environ(std::string_view environ_text, std::string_view key);

/// The arguments of a command line. Programs that set their title leave a tail of NULs: empty arguments at the end are
/// dropped, those in between stay.
std::vector<std::string_view> split_cmdline(std::string_view text);

}  // namespace antifreeze::readings
