#include "runtime/spec.h"

#include <algorithm>

namespace antifreeze::runtime {
namespace {

using core::Error;
using core::ErrorCode;
using core::JsonNode;
using core::JsonTree;

std::string text_of(const JsonTree& tree, JsonNode object, std::string_view key) {
  const auto node = tree.member(object, key);
  return node ? tree.string(*node).value_or("") : "";
}

Mount read_mount(const JsonTree& tree, JsonNode node) {
  Mount mount{text_of(tree, node, "destination"), text_of(tree, node, "type"), text_of(tree, node, "source")};
  mount.bind = mount.type == "bind";
  if (const auto options = tree.member(node, "options")) {
    for (const auto& option : tree.strings(*options).value_or(std::vector<std::string>())) {
      mount.bind = mount.bind || option == "bind" || option == "rbind";
      mount.read_only = mount.read_only || option == "ro";
    }
  }
  return mount;
}

void read_hooks(const JsonTree& tree, JsonNode hooks, std::vector<std::string>& into) {
  for (const auto stage : tree.children(hooks)) {
    if (tree.kind(stage) != core::JsonKind::kArray) continue;
    for (const auto hook : tree.children(stage)) {
      if (tree.kind(hook) == core::JsonKind::kObject) into.push_back(text_of(tree, hook, "path"));
    }
  }
}

}  // namespace

std::optional<std::string> ContainerSpec::variable(std::string_view name) const {
  for (auto it = env.rbegin(); it != env.rend(); ++it) {
    if (it->size() > name.size() && it->starts_with(name) && (*it)[name.size()] == '=') {
      return it->substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

std::optional<std::string> ContainerSpec::annotation(std::string_view name) const {
  for (const auto& [key, value] : annotations) {
    if (key == name) return value;
  }
  return std::nullopt;
}

core::Result<ContainerSpec> read_spec(const JsonTree& tree) {
  const auto fail = [](const std::string& what) { return Error(ErrorCode::kInvalid, "config.json " + what); };
  const auto root = tree.root();
  for (const std::string_view key : {"process", "mounts", "root"}) {
    if (tree.is_ambiguous(root, key)) return fail("has '" + std::string(key) + "' more than once");
  }
  const auto process = tree.at({"process"});
  if (!process || tree.kind(*process) != core::JsonKind::kObject) return fail("has no process");
  for (const std::string_view key : {"args", "env"}) {
    if (tree.is_ambiguous(*process, key)) return fail("has process." + std::string(key) + " more than once");
  }
  ContainerSpec spec;
  const auto args = tree.member(*process, "args");
  auto words = args ? tree.strings(*args) : std::nullopt;
  if (!words || words->empty()) return fail("has no process.args");
  spec.args = std::move(*words);
  if (const auto env = tree.member(*process, "env")) {
    auto entries = tree.strings(*env);
    if (!entries) return fail("has a process.env that is no list of strings");
    spec.env = std::move(*entries);
  }
  spec.security_label = !text_of(tree, *process, "selinuxLabel").empty();
  if (const auto mounts = tree.at({"mounts"})) {
    if (tree.kind(*mounts) != core::JsonKind::kArray) return fail("has mounts that are no list");
    for (const auto mount : tree.children(*mounts)) {
      if (tree.kind(mount) == core::JsonKind::kObject) spec.mounts.push_back(read_mount(tree, mount));
    }
  }
  if (const auto annotations = tree.at({"annotations"})) {
    for (const auto one : tree.children(*annotations)) {
      if (auto value = tree.string(one)) spec.annotations.emplace_back(tree.key(one), std::move(*value));
    }
  }
  if (const auto devices = tree.at({"linux", "devices"})) {
    for (const auto device : tree.children(*devices)) {
      if (tree.kind(device) == core::JsonKind::kObject) spec.devices.push_back(text_of(tree, device, "path"));
    }
  }
  if (const auto hooks = tree.at({"hooks"})) read_hooks(tree, *hooks, spec.hooks);
  if (const auto path = tree.at({"root", "path"})) spec.root_path = tree.string(*path).value_or("");
  return spec;
}

}  // namespace antifreeze::runtime
