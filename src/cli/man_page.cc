#include "cli/man_page.h"

#include <algorithm>

#include "cli/commands.h"
#include "cli/help.h"
#include "core/text.h"

namespace antifreeze::cli {
namespace {

/// Text for a line of its own: a backslash, a hyphen that must stay one, and what begins a request.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

std::string header(const std::string& name, std::string_view summary) {
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return ".\\\" Generated from the command table; do not edit.\n.TH \"" + upper + "\" 1 \"\" \"antifreeze " +
         std::string(version()) + "\" \"antifreeze\"\n.SH NAME\n" + roff(name) + " \\- " + roff(summary) + "\n";
}

std::string paragraphs(std::string_view text) {
  std::string out;
  while (const auto line = core::next_line(text)) out += line->empty() ? ".PP\n" : roff(*line) + "\n";
  return out;
}

std::string option_entry(const core::OptionSpec& option, bool has_twin) {
  std::string out = ".TP\n\\fB";
  if (option.short_name != 0) out += std::string("\\-") + option.short_name + "\\fR, \\fB";
  out += "\\-\\-" + roff(option.name) + "\\fR";
  if (!option.metavar.empty()) out += " \\fI" + roff(option.metavar) + "\\fR";
  out += "\n" + roff(option.help) + ".\n";
  if (!option.fallback.empty()) out += "Default: " + roff(option.fallback) + ".\n";
  if (has_twin) out += "Environment: " + roff(core::environment_name(option.name)) + ".\n";
  return out;
}

bool has_twin(const core::OptionSpec& option) { return option.name != "help" && option.name != "version"; }

std::string see_also(const Command* self) {
  std::string out = ".SH SEE ALSO\n";
  if (self != nullptr) out += ".BR antifreeze (1),\n";
  std::string last;
  for (const auto* other : commands()) {
    if (other == self) continue;
    if (!last.empty()) out += last + ",\n";
    last = ".BR " + roff(other->page_name()) + " (1)";
  }
  return out + last + "\n";
}

}  // namespace

std::string program_man_page() {
  std::string out = header("antifreeze", "keeps GPU inference servers that share one machine from freezing it");
  out += ".SH SYNOPSIS\n.B antifreeze\n\\fIVERB\\fR [\\fIOPTIONS\\fR]\n.SH VERBS\n";
  for (const auto* command : commands()) {
    out += ".TP\n\\fB" + roff(command->path) + "\\fR\n" + roff(command->summary) + ".\n";
  }
  out += ".SH OPTIONS\nThey mean the same on every verb.\n";
  for (const auto& option : global_options()) out += option_entry(option, has_twin(option));
  out += ".SH EXIT STATUS\n" + roff(common_exit_text()) + ".\n";
  out +=
      ".SH ENVIRONMENT\nEach option has a twin: \\-\\-gate\\-dir is ANTIFREEZE_GATE_DIR. NO_COLOR turns colours off.\n";
  return out + see_also(nullptr);
}

std::string command_man_page(const Command& command) {
  std::string out = header(command.page_name(), command.summary);
  out += ".SH SYNOPSIS\n\\fBantifreeze " + roff(command.path) + "\\fR [\\fIOPTIONS\\fR]";
  if (!command.operands.empty()) out += " " + roff(command.operands);
  if (command.path == "run") out += "\n.br\n\\fBantifreeze\\-run\\fR [\\fIOPTIONS\\fR] " + roff(command.operands);
  out += "\n.SH DESCRIPTION\n" + paragraphs(command.description) + ".SH OPTIONS\n";
  for (const auto& option : command.options) out += option_entry(option, has_twin(option));
  if (command.raw == nullptr) {
    for (const auto& option : global_options()) out += option_entry(option, has_twin(option));
  }
  out += ".SH EXIT STATUS\n";
  for (const auto& exit : command.exits) {
    out += ".TP\n" + std::to_string(exit.code) + "\n" + roff(exit.meaning) + "\n";
  }
  if (command.raw == nullptr) out += roff(common_exit_text()) + ".\n";
  if (!command.examples.empty()) out += ".SH EXAMPLES\n";
  for (const auto& example : command.examples) {
    out += ".TP\n\\fB" + roff(example.command) + "\\fR\n" + roff(example.what) + "\n";
  }
  return out + see_also(&command);
}

}  // namespace antifreeze::cli
