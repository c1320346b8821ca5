// Options are declared once, in a table; parsing, environment twins, --help, man pages and completions come from it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace antifreeze::core {

/// One option of a verb or program.
struct OptionSpec {
  std::string_view name;      ///< without dashes: "start-timeout"
  std::string_view metavar;   ///< "" for a switch; else what --help shows: "DURATION"
  std::string_view fallback;  ///< default, as text, for --help; "" for none
  std::string_view help;      ///< one sentence without a full stop
  char short_name = 0;        ///< 'b' for -b; 0 for none
};

/// Reads a variable; std::getenv's shape, so that tests need no real environment.
using EnvLookup = std::optional<std::string> (*)(std::string_view name, const void* context);

/// What was given, by option name; switches have the value "1".
struct ParsedOptions {
  std::map<std::string, std::string, std::less<>> values;
  std::vector<std::string> operands;                    ///< from "--" or the first word that is no option on
  std::set<std::string, std::less<>> from_environment;  ///< options whose value came from their variable

  [[nodiscard]] std::optional<std::string_view> get(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return get(name).has_value(); }
  /// What a person has to change: "--settle", or "ANTIFREEZE_SETTLE" when the value came from there.
  [[nodiscard]] std::string source(std::string_view name) const;
};

/// Parses "--name value", "--name=value", "-n value" and switches; stops at "--" or the first operand, so that the
/// command behind it is never touched. The last of two wins. Errors name the option and suggest the nearest one.
Result<ParsedOptions> parse_options(std::span<const OptionSpec> specs, std::span<const std::string_view> args);

/// "start-timeout" -> "ANTIFREEZE_START_TIMEOUT".
std::string environment_name(std::string_view option);

/// Fills in, from the environment, every option that was not given on the command line. An empty variable counts as
/// not set (Compose passes `NAME=` for a value that nobody gave). For a switch "1", "true", "yes" and "on" set it; "0",
/// "false", "no" and "off" leave it unset; anything else is an error.
Status apply_environment(std::span<const OptionSpec> specs, ParsedOptions& parsed, EnvLookup lookup,
                         const void* context);

/// The option table as --help prints it: two columns, defaults and environment twins named.
std::string options_help(std::span<const OptionSpec> specs);

}  // namespace antifreeze::core
