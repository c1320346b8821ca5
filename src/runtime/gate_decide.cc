#include "runtime/gate_decide.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/json_edit.h"
#include "core/text.h"
#include "engines/recognise.h"

namespace antifreeze::runtime {
namespace {

std::optional<bool> yes_or_no(std::string_view text) {
  for (const std::string_view yes : {"1", "true", "yes", "on"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "false", "no", "off"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool has_gate(const std::vector<std::string>& args) {
  for (std::size_t at = 0; at < args.size(); ++at) {
    if (base_name(args[at]) == "antifreeze-run") return true;
    if (base_name(args[at]) == "antifreeze" && at + 1 < args.size() && args[at + 1] == "run") return true;
  }
  return false;
}

bool is_gpu_device(std::string_view path) {
  // NVIDIA's, AMD's and WSL's; /dev/dri alone draws on screens as well, but renderD* is what computes.
  return (path.starts_with("/dev/nvidia") && !path.starts_with("/dev/nvidia-caps")) || path == "/dev/kfd" ||
         path == "/dev/dxg" || path.starts_with("/dev/dri/renderD");
}

/// "/a//b/" -> "/a/b".
std::string normal_path(std::string_view path) {
  std::string out;
  for (const auto part : core::split(path, '/')) {
    if (!part.empty() && part != ".") out += "/" + std::string(part);
  }
  return out.empty() ? "/" : out;
}

bool is_below(std::string_view path, std::string_view folder) {
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

std::string mount_json(std::string_view source, std::string_view destination, std::string_view mode) {
  return R"({"destination":)" + core::json_quoted(destination) + R"(,"type":"bind","source":)" +
         core::json_quoted(source) + R"(,"options":["bind",)" + std::string(mode) + R"(,"nosuid","nodev","rprivate"]})";
}

}  // namespace

std::optional<std::string> gpu_evidence(const ContainerSpec& spec, Flavour flavour) {
  if (const auto visible = spec.variable("NVIDIA_VISIBLE_DEVICES")) {
    if (!visible->empty() && *visible != "void" && *visible != "none") return "NVIDIA_VISIBLE_DEVICES";
  }
  for (const auto& hook : spec.hooks) {
    if (base_name(hook).find("nvidia") != std::string_view::npos) return "hook " + std::string(base_name(hook));
  }
  for (const auto& device : spec.devices) {
    if (is_gpu_device(device)) return device;
  }
  for (const auto& mount : spec.mounts) {
    if (is_gpu_device(mount.destination)) return mount.destination;
  }
  for (const auto& [key, value] : spec.annotations) {
    if (key.starts_with("cdi.k8s.io/") && value.find("/gpu=") != std::string::npos) return "CDI " + value;
  }
  // An image of old has no NVIDIA_VISIBLE_DEVICES, and NVIDIA's runtime then gives it all of them.
  if (flavour == Flavour::kNvidia && !spec.variable("NVIDIA_VISIBLE_DEVICES") && spec.variable("CUDA_VERSION")) {
    return "CUDA_VERSION";
  }
  return std::nullopt;
}

std::size_t init_words(const ContainerSpec& spec) {
  const auto& args = spec.args;
  const bool init = args.size() > 2 && args[1] == "--" && (args[0] == "/sbin/docker-init" || args[0] == "/dev/init");
  return init ? 2 : 0;
}

GateVerdict decide_gate(const ContainerSpec& spec, Flavour flavour) {
  if (has_gate(spec.args)) return {false, "the command has antifreeze-run in it already"};
  if (spec.security_label) return {false, "SELinux confines the container, and antifreeze-run is not labelled for it"};
  for (const auto& [text, where] : {std::pair{spec.annotation(kGateAnnotation), "the annotation antifreeze.gate"},
                                    std::pair{spec.variable("ANTIFREEZE"), "ANTIFREEZE"}}) {
    if (!text) continue;
    if (const auto wanted = yes_or_no(*text)) return {*wanted, std::string(where) + " says so"};
  }
  const auto gpu = gpu_evidence(spec, flavour);
  if (!gpu) return {false, "no GPU is asked for"};
  const auto skip = init_words(spec);
  const auto engine = engines::recognise(
      std::span(spec.args).subspan(skip), [&](std::string_view name) -> std::optional<std::string_view> {
        for (auto it = spec.env.rbegin(); it != spec.env.rend(); ++it) {
          const std::string_view entry = *it;
          if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
            return entry.substr(name.size() + 1);
          }
        }
        return std::nullopt;
      });
  if (!engine) return {false, "the command starts no engine that is known; ANTIFREEZE=1 gates it all the same"};
  return {true, engine->id + ", " + *gpu};
}

std::optional<std::string> mount_folder(const ContainerSpec& spec, bool run_is_link) {
  for (const std::string folder : {"/run/antifreeze", "/.antifreeze", "/opt/.antifreeze"}) {
    if (run_is_link && folder.starts_with("/run/")) continue;
    const Mount* around = nullptr;
    bool taken = false;
    std::size_t longest = 0;
    for (const auto& mount : spec.mounts) {
      const auto at = normal_path(mount.destination);
      taken = taken || is_below(at, folder);
      if (at == "/" || !is_below(folder, at) || at.size() < longest) continue;
      longest = at.size();
      around = &mount;
    }
    if (taken) continue;
    if (around == nullptr || (around->type == "tmpfs" && !around->bind && !around->read_only)) return folder;
  }
  return std::nullopt;
}

core::Result<std::string> rewrite(const core::JsonTree& tree, const ContainerSpec& spec, const GatePlan& plan) {
  core::JsonEdit edit(tree);
  const auto process = tree.at({"process"});
  const auto args = tree.at({"process", "args"});
  if (!process || !args) return core::Error(core::ErrorCode::kInvalid, "config.json has no process.args");
  const auto words = tree.children(*args);
  const auto skip = init_words(spec);
  if (skip >= words.size()) return core::Error(core::ErrorCode::kInvalid, "config.json has no command");
  const std::string program = plan.folder + "/antifreeze-run";
  const std::string gate = plan.folder + "/gate";
  const std::array front{core::json_quoted(program), core::json_quoted("--")};
  edit.insert_before(words[skip], front);

  const std::array<std::pair<std::string_view, std::string>, 4> variables{
      {{"ANTIFREEZE_SHARED", "1"},
       {"ANTIFREEZE_GATE_DIR", gate},
       {"ANTIFREEZE_NAME", plan.name},
       {"ANTIFREEZE_PRIORITY", std::to_string(plan.priority)}}};
  const auto env = tree.at({"process", "env"});
  const auto entries = env ? tree.children(*env) : std::vector<core::JsonNode>();
  std::vector<std::string> added;
  for (const auto& [name, value] : variables) {
    const auto entry = core::json_quoted(std::string(name) + "=" + value);
    bool there = false;
    for (std::size_t at = 0; at < entries.size(); ++at) {
      const std::string_view old = spec.env[at];
      if (!old.starts_with(name) || old.size() <= name.size() || old[name.size()] != '=') continue;
      edit.replace(entries[at], entry);
      there = true;
    }
    if (!there) added.push_back(entry);
  }
  const auto list = [](std::span<const std::string> raws) {
    std::string out = "[";
    for (const auto& raw : raws) out += (out.size() > 1 ? "," : "") + raw;
    return out + "]";
  };
  if (env) {
    edit.append(*env, added);
  } else {
    edit.add_member(*process, "env", list(added));
  }
  const std::array mounts{mount_json(plan.run_program, program, R"("ro")"),
                          mount_json(plan.gate_dir, gate, R"("rw","noexec")")};
  if (const auto there = tree.at({"mounts"})) {
    edit.append(*there, mounts);
  } else {
    edit.add_member(tree.root(), "mounts", list(mounts));
  }
  auto text = edit.apply();
  if (auto again = core::JsonTree::parse(text); !again) return std::move(again).error().with_context("our own result");
  return text;
}

}  // namespace antifreeze::runtime
