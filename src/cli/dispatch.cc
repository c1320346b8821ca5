#include "cli/dispatch.h"

#include <vector>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/help.h"
#include "core/text.h"

namespace antifreeze::cli {
namespace {

/// A verb's own options and the global ones: what it understands.
std::vector<core::OptionSpec> all_options(const Command& command) {
  std::vector<core::OptionSpec> specs(command.options.begin(), command.options.end());
  specs.insert(specs.end(), global_options().begin(), global_options().end());
  return specs;
}

/// Where the verb stands among the words, and how many words it has.
struct Found {
  const Command* command = nullptr;
  std::size_t words = 0;
};

Found find_verb(const std::vector<std::string>& operands) {
  if (operands.size() > 1) {
    if (const auto* command = find_command(operands[0] + " " + operands[1])) return {command, 2};
  }
  return {find_command(operands[0]), 1};
}

int unknown_verb(const Context& context, const std::vector<std::string>& operands) {
  const bool group = is_group(operands[0]);
  if (group && operands.size() == 1) {
    context.err(group_help(operands[0]));
    return kExitUsage;
  }
  const std::string typed = group || operands.size() > 1 ? operands[0] + " " + operands[1] : operands[0];
  auto near = nearest_command(typed);
  if (near.empty() && !group) near = nearest_command(operands[0]);
  std::string what = "unknown verb '" + core::printable(group ? typed : operands[0]) + "'";
  what += near.empty() ? "; 'antifreeze help' lists them" : "; did you mean 'antifreeze " + std::string(near) + "'?";
  return usage_error(context, what);
}

/// Takes over what the global options say; they may stand before the verb, behind it and in the environment.
void adopt_globals(Context& context, const core::ParsedOptions& parsed) {
  context.json = context.json || parsed.has("json");
  context.quiet = context.quiet || parsed.has("quiet");
  context.dry_run = context.dry_run || parsed.has("dry-run");
}

int run_raw(const Context& context, const Command& command, std::span<const std::string_view> args) {
  if (context.json) return usage_error(context, "'" + std::string(command.path) + "' has no --json");
  if (context.dry_run) return usage_error(context, "'" + std::string(command.path) + "' has no --dry-run");
  std::vector<std::string_view> words(args.begin(), args.end());
  if (context.quiet) words.insert(words.begin(), "--quiet");
  return command.raw(context, words);
}

int run_parsed(Context& context, const Command& command, std::span<const std::string_view> args) {
  const auto specs = all_options(command);
  auto parsed = parse_anywhere(specs, args);
  if (!parsed) {
    return usage_error(context, parsed.error().message() + " ('antifreeze help " + std::string(command.path) + "')");
  }
  if (parsed->has("help")) {
    context.out(command_help(command));
    return kExitFine;
  }
  if (parsed->has("version")) {
    context.out(version_line());
    return kExitFine;
  }
  // --help and --version have no twin: ANTIFREEZE_VERSION is what images call the version that they carry.
  const std::span with_twin(specs.data(), specs.size() - 2);
  if (context.lookup != nullptr) {
    const auto applied = core::apply_environment(with_twin, *parsed, context.lookup, context.lookup_context);
    if (!applied) return usage_error(context, applied.error().message());
  }
  adopt_globals(context, *parsed);
  if (parsed->operands.size() > command.max_operands) {
    return usage_error(context, "unexpected '" + core::printable(parsed->operands[command.max_operands]) +
                                    "'; usage: " + command.usage());
  }
  if (context.json && !command.has_json) {
    return usage_error(context, "'" + std::string(command.path) + "' has no --json");
  }
  return command.handler(context, *parsed);
}

}  // namespace

core::Result<core::ParsedOptions> parse_anywhere(std::span<const core::OptionSpec> specs,
                                                 std::span<const std::string_view> args) {
  core::ParsedOptions all;
  for (;;) {
    auto parsed = core::parse_options(specs, args);
    if (!parsed) return parsed;
    for (auto& [name, value] : parsed->values) all.values.insert_or_assign(name, std::move(value));
    if (parsed->operands.empty()) return all;
    const auto used = args.size() - parsed->operands.size();
    const bool only_operands_left = used > 0 && args[used - 1] == "--";
    if (only_operands_left) {
      all.operands.insert(all.operands.end(), parsed->operands.begin(), parsed->operands.end());
      return all;
    }
    all.operands.push_back(parsed->operands.front());
    args = args.subspan(used + 1);
  }
}

int dispatch(Context context, std::span<const std::string_view> args) {
  const auto globals = core::parse_options(global_options(), args);
  if (!globals) return usage_error(context, globals.error().message() + " ('antifreeze help')");
  if (globals->has("version")) {
    context.out(version_line());
    return kExitFine;
  }
  const auto& operands = globals->operands;
  if (operands.empty()) {
    const bool asked = globals->has("help");
    (asked ? context.out : context.err)(program_help());
    return asked ? kExitFine : kExitUsage;
  }
  adopt_globals(context, *globals);
  const auto [command, words] = find_verb(operands);
  if (command == nullptr && is_group(operands[0]) && operands.size() > 1 &&
      (operands[1] == "--help" || operands[1] == "-h")) {
    context.out(group_help(operands[0]));
    return kExitFine;
  }
  if (command == nullptr) return unknown_verb(context, operands);
  if (globals->has("help")) {
    context.out(command_help(*command));
    return kExitFine;
  }
  const auto rest = args.subspan(args.size() - operands.size() + words);
  return command->raw != nullptr ? run_raw(context, *command, rest) : run_parsed(context, *command, rest);
}

}  // namespace antifreeze::cli
