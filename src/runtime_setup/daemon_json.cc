#include "runtime_setup/daemon_json.h"

#include <algorithm>
#include <array>

#include "core/json_edit.h"
#include "core/text.h"
#include "runtime/settings.h"

namespace antifreeze::runtime_setup {
namespace {

using core::Error;
using core::ErrorCode;
using core::JsonTree;

struct Ours {
  std::string_view name;
  std::string_view program;
};
constexpr std::array kOurs{Ours{kPlainRuntime, runtime::kShimName}, Ours{kNvidiaRuntime, runtime::kNvidiaShimName}};

core::Result<JsonTree> parse(std::string_view text) {
  const bool blank = core::trim(text).empty();
  auto tree = JsonTree::parse(blank ? "{}" : std::string(text));
  if (!tree) return tree;
  if (tree->kind(tree->root()) != core::JsonKind::kObject) return Error(ErrorCode::kInvalid, "is no JSON object");
  if (tree->is_ambiguous(tree->root(), "runtimes")) {
    return Error(ErrorCode::kInvalid, "has 'runtimes' more than once, or in another case; leave one of them");
  }
  if (const auto runtimes = tree->at({"runtimes"})) {
    if (tree->kind(*runtimes) != core::JsonKind::kObject) return Error(ErrorCode::kInvalid, "'runtimes' is no object");
    for (const auto& ours : kOurs) {
      if (tree->member(*runtimes, ours.name) || !tree->is_ambiguous(*runtimes, ours.name)) continue;
      return Error(ErrorCode::kInvalid, "has the runtime '" + std::string(ours.name) + "' more than once");
    }
  }
  return tree;
}

std::string path_in(const std::string& folder, const Ours& ours) { return folder + "/" + std::string(ours.program); }

}  // namespace

core::Result<DaemonJsonView> look(std::string_view text, const std::string& folder) {
  const auto tree = parse(text);
  if (!tree) return Error(tree.error());
  DaemonJsonView view;
  for (const auto& ours : kOurs) {
    Entry entry{ours.name, EntryState::kAbsent, ""};
    if (const auto found = tree->at({"runtimes", ours.name})) {
      const auto path = tree->member(*found, "path");
      entry.found = path ? tree->string(*path).value_or("") : "";
      const bool alone = tree->kind(*found) == core::JsonKind::kObject && tree->children(*found).size() == 1;
      entry.state = entry.found == path_in(folder, ours) && alone ? EntryState::kPresent : EntryState::kRewritten;
    }
    view.entries.push_back(entry);
  }
  if (const auto chosen = tree->at({"default-runtime"})) {
    const auto name = tree->string(*chosen);
    view.is_default = name == kPlainRuntime || name == kNvidiaRuntime;
  }
  return view;
}

core::Result<std::string> with_entries(std::string_view text, const std::string& folder) {
  const bool blank = core::trim(text).empty();
  std::string current = blank ? "{}\n" : std::string(text);
  for (const auto& ours : kOurs) {
    const auto tree = parse(current);
    if (!tree) return Error(tree.error());
    core::JsonEdit edit(*tree);
    const bool flat = edit.one_line() && !blank && tree->first(tree->root());
    const auto step = edit.indent_step();
    const auto runtimes = tree->at({"runtimes"});
    const std::string path = core::json_quoted(path_in(folder, ours));
    const auto body = [&](const std::string& indent) {
      if (flat) return "{\"path\":" + path + "}";
      return "{\n" + indent + step + "\"path\": " + path + "\n" + indent + "}";
    };
    if (!runtimes) {
      const std::string raw =
          flat ? "{" + core::json_quoted(ours.name) + ":" + body("") + "}"
               : "{\n" + step + step + core::json_quoted(ours.name) + ": " + body(step + step) + "\n" + step + "}";
      edit.add_member(tree->root(), "runtimes", raw);
    } else {
      const auto first = tree->first(*runtimes);
      const auto around =
          first ? edit.indent_at(tree->key_begin(*first)) : edit.indent_at(tree->begin(*runtimes)) + step;
      const auto there = tree->member(*runtimes, ours.name);
      if (there) {
        if (look(current, folder)->entries[&ours == kOurs.data() ? 0 : 1].state == EntryState::kPresent) continue;
        edit.replace(*there, body(around));
      } else {
        edit.add_member(*runtimes, ours.name, body(around));
      }
    }
    current = edit.apply();
  }
  return current;
}

core::Result<std::string> without_entries(std::string_view text, bool drop_empty) {
  if (core::trim(text).empty()) return std::string(text);
  std::string current(text);
  for (const auto& ours : kOurs) {
    const auto tree = parse(current);
    if (!tree) return Error(tree.error());
    const auto runtimes = tree->at({"runtimes"});
    const auto there = runtimes ? tree->member(*runtimes, ours.name) : std::nullopt;
    if (!there) continue;
    core::JsonEdit edit(*tree);
    edit.remove_member(*runtimes, *there);
    current = edit.apply();
  }
  const auto tree = parse(current);
  if (!tree) return Error(tree.error());
  const auto runtimes = tree->at({"runtimes"});
  if (!drop_empty || !runtimes || tree->first(*runtimes)) return current;
  core::JsonEdit edit(*tree);
  edit.remove_member(tree->root(), *runtimes);
  return edit.apply();
}

bool has_runtimes(std::string_view text) {
  const auto tree = parse(text);
  return tree && tree->at({"runtimes"});
}

std::string line_difference(std::string_view before, std::string_view after) {
  const auto lines_of = [](std::string_view text) {
    std::vector<std::string_view> lines;
    while (const auto line = core::next_line(text)) lines.push_back(*line);
    return lines;
  };
  const auto old_lines = lines_of(before);
  const auto new_lines = lines_of(after);
  // Our changes are in one place: what is equal at both ends is left out.
  std::size_t head = 0;
  while (head < old_lines.size() && head < new_lines.size() && old_lines[head] == new_lines[head]) ++head;
  std::size_t tail = 0;
  while (tail < old_lines.size() - head && tail < new_lines.size() - head &&
         old_lines[old_lines.size() - 1 - tail] == new_lines[new_lines.size() - 1 - tail]) {
    ++tail;
  }
  if (head == old_lines.size() && head == new_lines.size()) return "";
  std::string out;
  const auto put = [&out](std::string_view mark, std::string_view line) {
    out += std::string(mark) + core::printable(line, 500) + "\n";
  };
  for (auto at = head > 2 ? head - 2 : 0; at < head; ++at) put("  ", old_lines[at]);
  for (auto at = head; at < old_lines.size() - tail; ++at) put("- ", old_lines[at]);
  for (auto at = head; at < new_lines.size() - tail; ++at) put("+ ", new_lines[at]);
  for (auto at = old_lines.size() - tail; at < std::min(old_lines.size(), old_lines.size() - tail + 2); ++at) {
    put("  ", old_lines[at]);
  }
  return out;
}

}  // namespace antifreeze::runtime_setup
