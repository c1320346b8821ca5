// Which containers get the gate, and how their configuration changes. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/json_tree.h"
#include "core/result.h"
#include "runtime/invocation.h"
#include "runtime/spec.h"

namespace antifreeze::runtime {

/// The annotation that says 1 or 0, as the variable ANTIFREEZE does. Only the host can set it, so it counts first.
inline constexpr std::string_view kGateAnnotation = "antifreeze.gate";

struct GateVerdict {
  bool gate = false;
  std::string reason;  ///< one clause for the log: why, or why not
};

/// Annotation or ANTIFREEZE=1/0; without them a GPU must be asked for and the command must start a known engine. Never
/// where the command has antifreeze-run in it already: two gates in a row would wait for each other.
GateVerdict decide_gate(const ContainerSpec& spec, Flavour flavour);

/// What asks for a GPU ("NVIDIA_VISIBLE_DEVICES", "/dev/nvidia0", …); nullopt when nothing does.
std::optional<std::string> gpu_evidence(const ContainerSpec& spec, Flavour flavour);

/// How many words of the command belong to the init that `docker run --init` puts in front of it.
std::size_t init_words(const ContainerSpec& spec);

struct GatePlan {
  std::string folder;       ///< in the container: antifreeze-run and the gate directory are mounted in it
  std::string run_program;  ///< on the host
  std::string gate_dir;     ///< on the host
  std::string name;         ///< of the service
  int priority = 0;
};

/// A folder of the container in which mount points can be made: below the root or a tmpfs, never in a directory of the
/// host. `run_is_link`: the image has a link in place of /run. nullopt when there is none.
std::optional<std::string> mount_folder(const ContainerSpec& spec, bool run_is_link);

/// The new text of config.json: the gate in front of the command and behind Docker's own init, two mounts, four
/// variables. Every other byte stays. kInvalid when a part to be changed is missing.
core::Result<std::string> rewrite(const core::JsonTree& tree, const ContainerSpec& spec, const GatePlan& plan);

}  // namespace antifreeze::runtime
