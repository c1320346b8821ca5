#include "cli/help.h"

#include <algorithm>

#include "cli/commands.h"
#include "cli/width.h"
#include "core/text.h"

namespace antifreeze::cli {
namespace {

constexpr std::size_t kWidth = 80;

void list_verbs(std::string& out, std::string_view prefix) {
  std::size_t width = 0;
  for (const auto* command : commands()) width = std::max(width, command->path.size());
  for (const auto* command : commands()) {
    if (!command->path.starts_with(prefix)) continue;
    out += "  " + pad(command->path, width) + "  " + std::string(command->summary) + "\n";
  }
}

}  // namespace

std::string_view version() { return ANTIFREEZE_VERSION; }
std::string version_line() { return "antifreeze " + std::string(version()) + "\n"; }

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  const std::string margin(indent, ' ');
  while (auto paragraph = core::next_line(text)) {
    std::string line;
    for (const auto word : core::split_words(*paragraph)) {
      if (!line.empty() && indent + display_width(line) + 1 + display_width(word) > width) {
        out += margin + line + "\n";
        line.clear();
      }
      line += (line.empty() ? "" : " ") + std::string(word);
    }
    out += line.empty() ? "\n" : margin + line + "\n";
  }
  return out;
}

std::string program_help() {
  std::string out =
      "usage: antifreeze VERB [OPTIONS]\n\n"
      "Keeps GPU inference servers that share one machine from freezing it.\n\nverbs:\n";
  list_verbs(out, "");
  out += "\noptions of every verb:\n" + core::options_help(global_options());
  out +=
      "\n'antifreeze help VERB' says more about a verb. Each option has a twin in the\n"
      "environment: --gate-dir is ANTIFREEZE_GATE_DIR. NO_COLOR turns colours off.\n";
  return out;
}

std::string group_help(std::string_view group) {
  std::string out = "usage: antifreeze " + std::string(group) + " VERB [OPTIONS]\n\nverbs:\n";
  list_verbs(out, std::string(group) + " ");
  out += "\n'antifreeze help " + std::string(group) + " VERB' says more about a verb.\n";
  return out;
}

std::string command_help(const Command& command) {
  std::string out = "usage: " + command.usage() + "\n\n" + wrap(command.description, kWidth);
  if (!command.options.empty()) out += "\noptions:\n" + core::options_help(command.options);
  if (command.raw == nullptr) out += "\noptions of every verb:\n" + core::options_help(global_options());
  if (!command.examples.empty()) {
    out += "\nexamples:\n";
    for (const auto& example : command.examples) {
      out += "  " + std::string(example.command) + "\n" + wrap(example.what, kWidth, 6);
    }
  }
  out += "\nexit codes:\n";
  for (const auto& exit : command.exits) {
    out += "  " + pad(std::to_string(exit.code), 5) + std::string(exit.meaning) + "\n";
  }
  if (command.raw == nullptr) out += wrap(common_exit_text(), kWidth, 2);
  return out;
}

}  // namespace antifreeze::cli
