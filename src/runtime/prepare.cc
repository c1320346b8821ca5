#include "runtime/prepare.h"

#include <fcntl.h>

#include "core/json_line.h"
#include "core/text.h"
#include "core/time.h"
#include "host/dir.h"
#include "host/dir_edit.h"
#include "host/executable.h"
#include "host/syslog.h"
#include "runtime/container_name.h"
#include "runtime/gate_decide.h"

namespace antifreeze::runtime {
namespace {

constexpr std::size_t kMaxConfig = std::size_t{1} << 20U;
constexpr std::uint64_t kMaxLog = 256 * 1024;

Outcome failed(std::string_view doing, const core::Error& error) {
  Outcome outcome;
  outcome.failed = true;
  outcome.reason = std::string(doing) + (doing.empty() ? "" : ": ") + error.message();
  return outcome;
}

/// The host's priorities; no file means that nobody has one.
core::Result<std::map<std::string, int, std::less<>>> host_priorities(const std::string& path) {
  auto fd = host::open_regular_at(AT_FDCWD, path, O_RDONLY);
  if (!fd && fd.error().code() == core::ErrorCode::kNotFound) return std::map<std::string, int, std::less<>>();
  if (!fd) return std::move(fd).error();
  const auto text = host::read_all(fd->get(), kMaxConfig);
  if (!text) return core::Error(text.error()).with_context(path);
  auto priorities = parse_priorities(*text);
  if (!priorities) return std::move(priorities).error().with_context(path);
  return priorities;
}

bool run_is_link(const std::string& root) {
  const auto dir = host::open_dir(AT_FDCWD, root);
  if (!dir) return false;  // mounted later: runc makes what is missing
  const auto run = host::open_dir(dir->get(), "run");
  return !run && run.error().code() != core::ErrorCode::kNotFound;
}

/// Longer names, or such with control characters, antifreeze-run would refuse.
bool is_usable_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 && name == core::printable(name, 64);
}

/// Name and priority: what the host says, whatever the container's environment claims.
void identify(const Job& job, const ContainerSpec& spec, Outcome& outcome) {
  const auto docker = docker_name(spec, job.call.id);
  const auto given = spec.variable("ANTIFREEZE_NAME");
  outcome.name = given && is_usable_name(*given) ? *given : docker;
  if (!is_usable_name(outcome.name)) outcome.name = core::printable(job.call.id.substr(0, 12), 64);
  const auto priorities = host_priorities(job.settings.config);
  if (!priorities) {
    outcome.remark = "priorities are not read: " + priorities.error().message();
  } else {
    for (const auto& name : {docker, outcome.name}) {
      const auto found = priorities->find(name);
      if (found == priorities->end()) continue;
      outcome.priority = found->second;
      break;
    }
  }
  const auto claimed = spec.variable("ANTIFREEZE_PRIORITY");
  if (claimed && *claimed != std::to_string(outcome.priority)) {
    outcome.remark += (outcome.remark.empty() ? "" : "; ") + std::string("ANTIFREEZE_PRIORITY=") +
                      core::printable(*claimed, 20) + " of the container is ignored, the host says " +
                      std::to_string(outcome.priority);
  }
}

}  // namespace

Outcome prepare(const Job& job) {
  const auto bundle = host::open_dir(AT_FDCWD, job.call.bundle);
  if (!bundle) return failed("bundle", bundle.error());
  const std::string file = "config.json";
  const auto config = host::open_regular_at(bundle->get(), file, O_RDONLY);
  if (!config) return failed("", config.error());
  const auto info = host::file_info(config->get());
  auto text = host::read_all(config->get(), core::JsonTree::kMaxText);
  if (!text) return failed(file, text.error());
  if (!info) return failed(file, info.error());
  const auto tree = core::JsonTree::parse(std::move(*text));
  if (!tree) return failed(file, tree.error());
  const auto spec = read_spec(*tree);
  if (!spec) return failed("", spec.error());

  const auto verdict = decide_gate(*spec, job.flavour);
  Outcome outcome;
  outcome.reason = verdict.reason;
  if (!verdict.gate) return outcome;

  // A gate that is not there would keep the container from starting at all.
  GatePlan plan;
  plan.run_program = job.folder + "/" + std::string(kRunName);
  if (const auto program = host::find_program(plan.run_program, "", ""); !program) return failed("", program.error());
  if (const auto gate = gate::GateDir::open({job.settings.gate_dir, true}); !gate) return failed("", gate.error());
  plan.gate_dir = job.settings.gate_dir;
  const auto folder = mount_folder(*spec, run_is_link(spec->root_path));
  if (!folder) {
    return failed("", core::Error(core::ErrorCode::kUnsupported, "no place in the container for the gate's mounts"));
  }
  plan.folder = *folder;
  identify(job, *spec, outcome);
  plan.name = outcome.name;
  plan.priority = outcome.priority;
  const auto changed = rewrite(*tree, *spec, plan);
  if (!changed) return failed("", changed.error());
  if (const auto put = host::write_file_atomic(bundle->get(), file, *changed, info->mode, false); !put) {
    return failed(file, put.error());
  }
  outcome.gated = true;
  return outcome;
}

void record(const Job& job, const Outcome& outcome, const host::Clock& clock) {
  const auto id = job.call.id.substr(0, 12);
  std::string line = (outcome.gated ? "gated " : "not gated ") + id;
  if (!outcome.name.empty()) line += " (" + outcome.name + ", priority " + std::to_string(outcome.priority) + ")";
  line += ": " + outcome.reason;
  if (outcome.failed) line = "handed on unchanged, " + line;
  if (!outcome.remark.empty()) line += "; " + outcome.remark;
  const bool warn = outcome.failed || !outcome.remark.empty();
  host::send_to_syslog(job.settings.log_socket, kShimName, warn ? host::LogLevel::kWarning : host::LogLevel::kInfo,
                       line);

  const auto dir = host::open_dir(AT_FDCWD, job.folder);
  if (!dir) return;
  const std::string name(kLogName);
  auto fd = host::open_regular_at(dir->get(), name, O_WRONLY | O_APPEND | O_CREAT, 0644);
  if (!fd) return;
  if (const auto info = host::file_info(fd->get()); info && info->size_bytes > kMaxLog) {
    (void)host::rename_at(dir->get(), name, name + ".1").has_value();
    fd = host::open_regular_at(dir->get(), name, O_WRONLY | O_APPEND | O_CREAT, 0644);
    if (!fd) return;
  }
  core::JsonLine json;
  json.add("time", core::format_rfc3339(clock.wall()))
      .add("container", core::printable(id))
      .add("name", outcome.name)
      .add("gated", outcome.gated)
      .add("failed", outcome.failed)
      .add("priority", outcome.priority)
      .add("reason", core::printable(outcome.reason));
  if (!outcome.remark.empty()) json.add("remark", core::printable(outcome.remark));
  (void)host::write_all(fd->get(), json.str() + "\n").has_value();
}

}  // namespace antifreeze::runtime
