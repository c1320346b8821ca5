// What a verb is made of. Parsing, help, man pages, completions and the reference are all made from it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/context.h"
#include "core/options.h"

namespace antifreeze::cli {

struct ExitCode {
  int code = 0;
  std::string_view meaning;
};

struct Example {
  std::string_view command;
  std::string_view what;
};

/// A verb's own code. `parsed` has its options and the global ones, environment twins included.
using Handler = int (*)(const Context& context, const core::ParsedOptions& parsed);
/// The code of a verb that reads its words itself.
using RawHandler = int (*)(const Context& context, std::span<const std::string_view> args);

struct Command {
  std::string_view path;         ///< "gate status"
  std::string_view summary;      ///< one clause without a full stop
  std::string_view description;  ///< paragraphs, an empty line between them
  std::string_view operands;     ///< as the usage line shows them, "" for none
  std::size_t max_operands = 0;
  std::span<const core::OptionSpec> options = {};
  std::span<const ExitCode> exits = {};  ///< beside those that every verb has
  std::span<const Example> examples = {};
  bool has_json = false;
  Handler handler = nullptr;
  RawHandler raw = nullptr;  ///< in place of `handler`; then `options` is the whole list, without the global ones

  /// "antifreeze-gate-status": name of the man page and of the reference page.
  [[nodiscard]] std::string page_name() const;
  /// "antifreeze gate status [OPTIONS] [NAME]".
  [[nodiscard]] std::string usage() const;
};

/// Options that mean the same on every verb.
std::span<const core::OptionSpec> global_options();

/// What every verb's page says about exit codes: its own and the common ones, by number.
std::string_view common_exit_text();

}  // namespace antifreeze::cli
