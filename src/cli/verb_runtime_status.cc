// antifreeze runtime status
#include <array>

#include "cli/exit_codes.h"
#include "cli/json_text.h"
#include "cli/runtime_options.h"
#include "cli/verbs.h"
#include "runtime_setup/setup_act.h"

namespace antifreeze::cli {
namespace {

using runtime_setup::CopyState;
using runtime_setup::EntryState;

std::string_view name_of(EntryState state) {
  if (state == EntryState::kPresent) return "present";
  return state == EntryState::kAbsent ? "absent" : "rewritten";
}

std::string_view name_of(CopyState state) {
  switch (state) {
    case CopyState::kSame:
      return "same";
    case CopyState::kDifferent:
      return "different";
    case CopyState::kMissing:
      return "missing";
    case CopyState::kNotExecutable:
      break;
  }
  return "not_executable";
}

void show_json(const Context& context, const runtime_setup::Status& status,
               const std::vector<runtime_setup::Finding>& found) {
  Json entries = Json::object();
  for (const auto& entry : status.daemon_json.entries) entries[std::string(entry.name)] = name_of(entry.state);
  Json copies = Json::object();
  for (const auto& copy : status.copies) copies[copy.name] = name_of(copy.state);
  Json users = Json::array();
  for (const auto& user : status.users) {
    users.push_back({{"id", user.id}, {"name", user.name}, {"runtime", user.runtime}});
  }
  Json all = Json::array();
  for (const auto& one : found) all.push_back({{"id", one.id}, {"message", one.message}, {"fix", one.fix}});
  context.out(json_text(Json{{"schema", "antifreeze/runtime-status/v1"},
                             {"installed", status.installed},
                             {"pass_through", status.pass_through},
                             {"daemon_json", status.paths.daemon_json},
                             {"directory", status.paths.folder},
                             {"dockerd_runs", status.dockerd_runs},
                             {"entries", entries},
                             {"copies", copies},
                             {"containers", users},
                             {"findings", all},
                             {"remarks", status.remarks}}));
}

int run_status(const Context& context, const core::ParsedOptions& parsed) {
  const auto status = runtime_setup::read_status(runtime_paths(parsed));
  const auto found = runtime_setup::findings(status);
  if (context.json) show_json(context, status, found);
  if (!status.installed) {
    context.note("not installed; 'sudo antifreeze runtime install' adds the runtimes to " + status.paths.daemon_json);
  } else if (found.empty()) {
    context.note("installed: " + status.paths.daemon_json + " has both runtimes, their copies are in " +
                 status.paths.folder);
  }
  for (const auto& user : status.users) context.note("used by " + user.name + " (" + user.id + "): " + user.runtime);
  for (const auto& remark : status.remarks) context.note("log: " + remark);
  if (!context.json) {
    for (const auto& one : found) context.out("! " + one.message + "\n  " + one.fix + "\n");
  }
  return found.empty() ? kExitFine : kExitFindings;
}

constexpr std::array kOptions{kDaemonJsonOption, kRuntimeDirOption, kDockerRootOption, kDockerPidOption};
constexpr std::array kExamples{
    Example{"antifreeze runtime status", "Whether daemon.json still has the runtimes, and who uses them."},
};

}  // namespace

const Command kRuntimeStatusVerb{
    .path = "runtime status",
    .summary = "whether Docker still has the runtimes, and which containers name them",
    .description =
        "Reads daemon.json, the copies and Docker's own files of its containers; changes nothing and asks no daemon. "
        "An "
        "entry that another program has dropped or rewritten is a finding, so are copies that are missing or of "
        "another "
        "version. The newest lines of the runtime's own log show what was handed on unchanged, and which priorities "
        "of containers were ignored because the host says otherwise.",
    .operands = "",
    .options = kOptions,
    .examples = kExamples,
    .has_json = true,
    .handler = run_status,
};

}  // namespace antifreeze::cli
