#include "cli/completion_script.h"

#include <vector>

#include "cli/commands.h"
#include "core/text.h"

namespace antifreeze::cli {
namespace {

std::vector<core::OptionSpec> options_of(const Command& command) {
  std::vector<core::OptionSpec> all(command.options.begin(), command.options.end());
  if (command.raw == nullptr) all.insert(all.end(), global_options().begin(), global_options().end());
  return all;
}

std::string option_words(const Command& command) {
  std::string out;
  for (const auto& option : options_of(command)) out += (out.empty() ? "--" : " --") + std::string(option.name);
  return out;
}

/// First words, and the second ones of groups.
std::string first_words() {
  std::string out;
  std::string last;
  for (const auto* command : commands()) {
    const auto word = core::split(command->path, ' ').front();
    if (word == last) continue;
    last = word;
    out += (out.empty() ? "" : " ") + std::string(word);
  }
  return out;
}

std::string second_words(std::string_view group) {
  std::string out;
  for (const auto* command : commands()) {
    const auto words = core::split(command->path, ' ');
    if (words.size() == 2 && words[0] == group) out += (out.empty() ? "" : " ") + std::string(words[1]);
  }
  return out;
}

std::vector<std::string_view> groups() {
  std::vector<std::string_view> out;
  for (const auto* command : commands()) {
    const auto words = core::split(command->path, ' ');
    if (words.size() == 2 && (out.empty() || out.back() != words[0])) out.push_back(words[0]);
  }
  return out;
}

/// A single-quoted shell word.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

/// Values that an option takes where the metavar lists them: "fail|proceed"; "" else.
std::string choices(const core::OptionSpec& option) {
  std::string out;
  for (const auto part : core::split(option.metavar, '|')) {
    if (part.empty() || part.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") != std::string_view::npos) continue;
    out += (out.empty() ? "" : " ") + std::string(part);
  }
  return option.metavar.find('|') == std::string_view::npos ? "" : out;
}

std::string bash_value_cases(const Command& command) {
  std::string out;
  for (const auto& option : options_of(command)) {
    if (option.metavar.empty()) continue;
    const auto words = choices(option);
    out += "      --" + std::string(option.name) + ") ";
    if (!words.empty())
      out += "COMPREPLY=($(compgen -W " + shell_quoted(words) + " -- \"$cur\")); ";
    else if (option.metavar == "DIR")
      out += "COMPREPLY=($(compgen -d -- \"$cur\")); ";
    else if (option.metavar == "FILE")
      out += "COMPREPLY=($(compgen -f -- \"$cur\")); ";
    out += "return;;\n";
  }
  return out;
}

}  // namespace

std::string bash_completion() {
  std::string out =
      "# bash completion for antifreeze, generated from its command table\n"
      "_antifreeze_options() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  case $1 in\n";
  for (const auto* command : commands()) {
    out += "  " + shell_quoted(command->path) + ")\n";
    const auto cases = bash_value_cases(*command);
    if (!cases.empty()) out += "    case $prev in\n" + cases + "    esac\n";
    out += "    COMPREPLY=($(compgen -W " + shell_quoted(option_words(*command)) + " -- \"$cur\"));;\n";
  }
  out +=
      "  esac\n}\n_antifreeze() {\n  local cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]}\n  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W " +
      shell_quoted(first_words()) +
      " -- \"$cur\")); return; fi\n"
      "  case $verb in\n";
  for (const auto group : groups()) {
    out += "  " + std::string(group) + ")\n    if ((COMP_CWORD == 2)); then COMPREPLY=($(compgen -W " +
           shell_quoted(second_words(group)) + " -- \"$cur\")); return; fi\n    verb=\"$verb ${COMP_WORDS[2]}\";;\n";
  }
  out +=
      "  completion)\n    if ((COMP_CWORD == 2)); then COMPREPLY=($(compgen -W 'bash zsh fish man markdown' -- "
      "\"$cur\")); "
      "return; fi;;\n  esac\n  _antifreeze_options \"$verb\"\n}\n"
      "_antifreeze_run() { _antifreeze_options run; }\n"
      "complete -o default -F _antifreeze antifreeze\ncomplete -o default -F _antifreeze_run antifreeze-run\n";
  return out;
}

namespace {

/// _arguments reads ':' and brackets itself.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_option(const core::OptionSpec& option) {
  std::string text = "--" + std::string(option.name) + "[" + zsh_text(option.help) + "]";
  if (!option.metavar.empty()) {
    const auto words = choices(option);
    text += ":" + zsh_text(option.metavar) + ":";
    if (!words.empty())
      text += "(" + words + ")";
    else if (option.metavar == "DIR")
      text += "_files -/";
    else if (option.metavar == "FILE")
      text += "_files";
  }
  return shell_quoted(text);
}

}  // namespace

std::string zsh_completion() {
  std::string out =
      "#compdef antifreeze antifreeze-run\n# generated from the command table\n_antifreeze_options() {\n  case $1 in\n";
  for (const auto* command : commands()) {
    out += "  " + shell_quoted(command->path) + ") _arguments -S";
    for (const auto& option : options_of(*command)) out += " \\\n    " + zsh_option(option);
    out += " \\\n    '*::argument:_default';;\n";
  }
  out +=
      "  esac\n}\n_antifreeze() {\n  if [[ $service == antifreeze-run ]]; then _antifreeze_options run; return; fi\n"
      "  if ((CURRENT == 2)); then compadd -- " +
      first_words() +
      "; return; fi\n  local verb=$words[2]\n  local -i used=1\n"
      "  case $verb in\n";
  for (const auto group : groups()) {
    out += "  " + std::string(group) + ")\n    if ((CURRENT == 3)); then compadd -- " + second_words(group) +
           "; return; fi\n    verb=\"$verb $words[3]\"; used=2;;\n";
  }
  out +=
      "  completion) if ((CURRENT == 3)); then compadd -- bash zsh fish man markdown; return; fi;;\n  esac\n"
      "  shift $used words; ((CURRENT -= used))\n  _antifreeze_options \"$verb\"\n}\n_antifreeze \"$@\"\n";
  return out;
}

std::string fish_completion() {
  std::string out = "# fish completion for antifreeze, generated from its command table\ncomplete -c antifreeze -f\n";
  for (const auto* command : commands()) {
    const auto words = core::split(command->path, ' ');
    const std::string group(words[0]);
    std::string condition = "__fish_seen_subcommand_from " + group;
    if (words.size() == 2) {
      out += "complete -c antifreeze -n __fish_use_subcommand -a " + group + "\n";
      out += "complete -c antifreeze -n " +
             shell_quoted(condition + "; and not __fish_seen_subcommand_from " + second_words(group)) + " -a " +
             std::string(words[1]) + " -d " + shell_quoted(command->summary) + "\n";
      condition += "; and __fish_seen_subcommand_from " + std::string(words[1]);
    } else {
      out += "complete -c antifreeze -n __fish_use_subcommand -a " + group + " -d " + shell_quoted(command->summary) +
             "\n";
    }
    for (const auto& option : options_of(*command)) {
      std::string line = " -l " + std::string(option.name);
      if (option.short_name != 0) line += std::string(" -s ") + option.short_name;
      if (!option.metavar.empty()) line += option.metavar == "DIR" || option.metavar == "FILE" ? " -r -F" : " -x";
      if (const auto values = choices(option); !values.empty()) line += " -a " + shell_quoted(values);
      line += " -d " + shell_quoted(option.help) + "\n";
      out += "complete -c antifreeze -n " + shell_quoted(condition) + line;
      if (command->path == "run") out += "complete -c antifreeze-run" + line;
    }
  }
  out += "complete -c antifreeze -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish man markdown'\n";
  return out;
}

}  // namespace antifreeze::cli
