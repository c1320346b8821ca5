#include "runtime_setup/setup_types.h"

namespace antifreeze::runtime_setup {

std::vector<Finding> findings(const Status& status) {
  std::vector<Finding> found;
  const auto add = [&found](std::string id, std::string message, std::string fix) {
    found.push_back({std::move(id), std::move(message), std::move(fix)});
  };
  const std::string install = "sudo antifreeze runtime install";
  if (!status.installed && status.users.empty()) return found;
  if (!status.daemon_json_error.empty()) {
    add("runtime_daemon_json", status.paths.daemon_json + ": " + status.daemon_json_error, "mend the file");
  } else {
    for (const auto& entry : status.daemon_json.entries) {
      const std::string name(entry.name);
      if (entry.state == EntryState::kAbsent) {
        add("runtime_entry_lost", status.paths.daemon_json + " has lost the runtime '" + name + "'", install);
      } else if (entry.state == EntryState::kRewritten) {
        add("runtime_entry_rewritten",
            status.paths.daemon_json + " has the runtime '" + name + "' changed by somebody else", install);
      }
    }
    if (status.daemon_json.is_default) {
      add("runtime_is_default", "default-runtime names antifreeze: every container goes through it",
          "remove default-runtime from " + status.paths.daemon_json);
    }
  }
  for (const auto& copy : status.copies) {
    const auto path = status.paths.folder + "/" + copy.name;
    if (copy.state == CopyState::kMissing) add("runtime_copy_missing", path + " is missing", install);
    if (copy.state == CopyState::kNotExecutable) add("runtime_copy_not_executable", path + " cannot be run", install);
    if (copy.state == CopyState::kDifferent) {
      add("runtime_copy_differs", path + " is of another version than the package", install);
    }
  }
  if (status.pass_through) {
    add("runtime_pass_through", "removed while containers name it: it hands everything on without a gate",
        status.users.empty() ? "sudo antifreeze runtime remove" : install);
  }
  return found;
}

}  // namespace antifreeze::runtime_setup
