#include "cli/markdown_page.h"

#include "cli/commands.h"
#include "cli/help.h"

namespace antifreeze::cli {
namespace {

constexpr std::string_view kGenerated =
    "<!-- Generated from the command table by `antifreeze completion markdown DIR`; a test compares. -->\n\n";
constexpr std::size_t kWidth = 120;

/// A bar would end the table's cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string option_rows(std::span<const core::OptionSpec> options) {
  std::string out = "| option | default | what it does |\n|---|---|---|\n";
  for (const auto& option : options) {
    out += "| `";
    if (option.short_name != 0) out += std::string("-") + option.short_name + ", ";
    out += "--" + std::string(option.name);
    if (!option.metavar.empty()) out += " " + cell(option.metavar);
    out += "` | " + cell(option.fallback) + (option.fallback.empty() ? "" : " ") + "| " + cell(option.help) + " |\n";
  }
  return out;
}

}  // namespace

std::string program_markdown() {
  std::string out = "# antifreeze\n\n" + std::string(kGenerated);
  out += "`antifreeze VERB [OPTIONS]` keeps GPU inference servers that share one machine from freezing it.\n\n";
  out += "| verb | what it is for |\n|---|---|\n";
  for (const auto* command : commands()) {
    out += "| [`" + std::string(command->path) + "`](" + command->page_name() + ".md) | " + cell(command->summary) +
           " |\n";
  }
  out += "\n## Options of every verb\n\n" + option_rows(global_options());
  out +=
      "\nEach option has a twin in the environment: `--gate-dir` is `ANTIFREEZE_GATE_DIR`; an empty one counts as not "
      "set. `NO_COLOR` turns colours off.\n";
  out += "\n## Exit codes\n\n" + wrap(std::string(common_exit_text()) + ".", kWidth);
  out +=
      "\n## JSON\n\n" +
      wrap(
          "Every `--json` answer is one object whose `schema` names its shape; `gate log` prints JSON lines. Published "
          "schemas: [gate-status.v1](schemas/gate-status.v1.json), [gate-log.v1](schemas/gate-log.v1.json) (one line).",
          kWidth);
  return out;
}

std::string command_markdown(const Command& command) {
  std::string out = "# antifreeze " + std::string(command.path) + "\n\n" + std::string(kGenerated);
  out += std::string(command.summary) + "\n\n    " + command.usage() + "\n";
  if (command.path == "run") out += "    antifreeze-run [OPTIONS] " + std::string(command.operands) + "\n";
  out += "\n" + wrap(command.description, kWidth);
  if (!command.options.empty()) out += "\n## Options\n\n" + option_rows(command.options);
  if (command.raw == nullptr) out += "\nBesides the [options of every verb](antifreeze.md#options-of-every-verb).\n";
  if (!command.exits.empty()) out += "\n## Exit codes\n\n| code | meaning |\n|---|---|\n";
  for (const auto& exit : command.exits) {
    out += "| " + std::to_string(exit.code) + " | " + cell(exit.meaning) + " |\n";
  }
  if (!command.examples.empty()) out += "\n## Examples\n";
  for (const auto& example : command.examples) {
    out += "\n" + wrap(example.what, kWidth) + "\n    " + std::string(example.command) + "\n";
  }
  return out;
}

}  // namespace antifreeze::cli
