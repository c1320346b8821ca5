#include "runtime_setup/setup_act.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/json_tree.h"
#include "core/text.h"
#include "host/child_command.h"
#include "host/dir.h"
#include "host/dir_edit.h"
#include "host/executable.h"
#include "runtime_setup/host_view.h"

namespace antifreeze::runtime_setup {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::size_t kMaxProgram = std::size_t{64} << 20U;
constexpr std::array<std::string_view, 2> kPrograms{runtime::kShimName, runtime::kRunName};
constexpr std::string_view kBefore = "daemon.json.before";        ///< as it was; absent when there was no file
constexpr std::string_view kInstalled = "daemon.json.installed";  ///< as we wrote it
constexpr std::string_view kCandidate = "daemon.json.candidate";

core::Result<std::string> own_program(const Paths& paths, std::string_view name) {
  std::string looked;
  for (const auto& folder : paths.programs) {
    auto text = host::read_file_at(AT_FDCWD, folder + "/" + std::string(name), kMaxProgram);
    if (text) return text;
    looked += (looked.empty() ? "" : ", ") + folder;
  }
  return Error(ErrorCode::kNotFound, "program " + std::string(name) + " not found in " + looked);
}

Error at_file(const Error& error, const std::string& path) { return Error(error).with_context(path); }

core::Status put(const std::string& path, std::string_view content, mode_t mode) {
  const auto slash = path.rfind('/');
  const auto dir = host::open_dir(AT_FDCWD, slash == 0 ? "/" : path.substr(0, slash));
  if (!dir) return Error(dir.error());
  auto written = host::write_file_atomic(dir->get(), path.substr(slash + 1), content, mode, true);
  return written ? written : at_file(written.error(), path);
}

core::Status put_link(const std::string& folder) {
  const auto path = folder + "/" + std::string(runtime::kNvidiaShimName);
  const std::string target(runtime::kShimName);
  if (::symlink(target.c_str(), path.c_str()) == 0 || errno == EEXIST) return {};
  return core::errno_error("making the link " + path, errno);
}

mode_t mode_of(const std::string& path, mode_t otherwise) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : otherwise;
}

void reload(const HostView& view, Report& report, bool dry_run) {
  if (!view.dockerd) {
    report.notes.emplace_back("dockerd does not run (no " + view.paths.pidfile + "): it reads the file when it starts");
    return;
  }
  report.steps.push_back("reload dockerd (pid " + std::to_string(view.dockerd->pid) + ", SIGHUP)");
  if (dry_run) return;
  if (const auto asked = host::reload_daemon(*view.dockerd); !asked) {
    report.notes.push_back(asked.error().message() + "; run 'systemctl reload docker'");
  }
}

/// Asks dockerd itself. Versions before 23 cannot tell.
core::Status validate(const std::string& text, const Paths& paths, Report& report) {
  const auto dockerd = host::find_program("dockerd", "", "");
  if (!dockerd) return {};
  const auto candidate = paths.folder + "/" + std::string(kCandidate);
  if (auto written = put(candidate, text, 0600); !written) return written;
  const auto asked = host::run_command({*dockerd, "--validate", "--config-file", candidate}, std::chrono::seconds(20));
  ::unlink(candidate.c_str());
  if (asked && asked->code == 0) return {};
  if (!asked || asked->output.find("unknown flag") != std::string::npos) {
    report.notes.emplace_back("this dockerd cannot check a configuration before it is used (23.0 and newer can)");
    return {};
  }
  return Error(ErrorCode::kInvalid, "dockerd refuses the new configuration: " + core::printable(asked->output, 400));
}

core::Status copy_programs(const Paths& paths, const runtime::Settings* settings, Report& report, bool dry_run) {
  std::array<std::string, kPrograms.size()> content;
  for (std::size_t at = 0; at < kPrograms.size(); ++at) {
    auto program = own_program(paths, kPrograms[at]);
    if (!program) return std::move(program).error();
    content[at] = std::move(*program);
    report.steps.push_back("copy " + std::string(kPrograms[at]) + " to " + paths.folder);
  }
  if (dry_run) return {};
  if (auto made = host::make_dirs(paths.folder, 0755); !made) return made;
  for (std::size_t at = 0; at < kPrograms.size(); ++at) {
    if (auto done = put(paths.folder + "/" + std::string(kPrograms[at]), content[at], 0755); !done) return done;
  }
  if (auto done = put_link(paths.folder); !done) return done;
  if (settings != nullptr) {
    const auto path = paths.folder + "/" + std::string(runtime::kSettingsName);
    if (auto done = put(path, runtime::settings_text(*settings), 0644); !done) return done;
  }
  const auto shim = paths.folder + "/" + std::string(runtime::kShimName);
  const auto tried = host::run_command({shim, "--version"}, std::chrono::seconds(20));
  if (!tried) return Error(tried.error()).with_context("the copy does not run (is " + paths.folder + " noexec?)");
  if (tried->code == 0) return {};
  return Error(ErrorCode::kUnsupported,
               "the copy does not reach the real runtime: " + core::printable(tried->output, 300));
}

/// While the copy was broken nobody could clear away what runc keeps of a container that has ended. Without --force
/// runc leaves those alone that run.
void clear_remains(const HostView& view, const runtime::Settings& settings, Report& report) {
  const auto runc = host::find_program(settings.runc, "", "");
  if (!runc) return;
  for (const auto& remains : find_remains(view)) {
    for (const auto& id : remains.ids) {
      const auto done = host::run_command({*runc, "--root", remains.root, "delete", id}, std::chrono::seconds(10));
      if (done && done->code == 0) report.steps.push_back("clear away what was left of container " + id.substr(0, 12));
    }
  }
}

CopyState look_at_copy(const Paths& paths, std::string_view name) {
  const auto path = paths.folder + "/" + std::string(name);
  const auto copy = host::read_file_at(AT_FDCWD, path, kMaxProgram);
  if (!copy) return CopyState::kMissing;
  if (::access(path.c_str(), X_OK) != 0) return CopyState::kNotExecutable;
  const auto own = own_program(paths, name);
  return !own || *own == *copy ? CopyState::kSame
                               : CopyState::kDifferent;  // without the package there is nothing newer
}

std::vector<std::string> newest_remarks(const std::string& folder) {
  std::vector<std::string> remarks;
  const auto text = host::read_file_at(AT_FDCWD, folder + "/" + std::string(runtime::kLogName), std::size_t{1} << 20U);
  if (!text) return remarks;
  std::string_view rest = *text;
  while (const auto line = core::next_line(rest)) {
    const auto tree = core::JsonTree::parse(std::string(*line));
    if (!tree) continue;
    const auto field = [&](std::string_view key) {
      const auto node = tree->at({key});
      return node ? tree->string(*node).value_or("") : "";
    };
    const auto failed = tree->at({"failed"});
    const auto what = failed && tree->raw(*failed) == "true" ? field("reason") : field("remark");
    if (!what.empty()) remarks.push_back(core::printable(field("time") + " " + field("container") + ": " + what, 400));
    if (remarks.size() > 20) remarks.erase(remarks.begin());
  }
  return remarks;
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

Status read_status(Paths given) {
  auto view = look_at_host(std::move(given));
  Status status;
  status.paths = view.paths;
  status.dockerd_runs = view.dockerd.has_value();
  const auto& paths = status.paths;
  status.installed = exists(paths.folder + "/" + std::string(kInstalled));
  status.pass_through = exists(paths.folder + "/" + std::string(runtime::kPassThroughName));
  const auto text = read_if_there(paths.daemon_json);
  if (!text) {
    status.daemon_json_error = text.error().message();
  } else if (auto seen = look(text->value_or(""), paths.folder)) {
    status.daemon_json = std::move(*seen);
  } else {
    status.daemon_json_error = seen.error().message();
  }
  for (const auto name : kPrograms) status.copies.push_back({std::string(name), look_at_copy(paths, name)});
  const bool link = exists(paths.folder + "/" + std::string(runtime::kNvidiaShimName));
  status.copies.push_back({std::string(runtime::kNvidiaShimName), link ? CopyState::kSame : CopyState::kMissing});
  status.users = find_users(paths.docker_root);
  status.remarks = newest_remarks(paths.folder);
  return status;
}

core::Result<Report> install(const Paths& given, const runtime::Settings& settings, bool only_copies, bool dry_run) {
  const auto view = look_at_host(given);
  const auto& paths = view.paths;
  Report report;
  const auto installed_at = paths.folder + "/" + std::string(kInstalled);
  if (only_copies) {
    if (!exists(installed_at)) return report;  // never installed: nothing to renew
    if (auto done = copy_programs(paths, nullptr, report, dry_run); !done) return std::move(done).error();
    return report;
  }
  const auto text = read_if_there(paths.daemon_json);
  if (!text) {
    return at_file(text.error(), paths.daemon_json)
        .with_context("daemon.json cannot be used; name the file itself with --daemon-json");
  }
  const auto before = text->value_or("");
  const auto after = with_entries(before, paths.folder);
  if (!after) return at_file(after.error(), paths.daemon_json);
  if (const auto where = adds_runtimes_elsewhere(view); !where.empty()) {
    return Error(ErrorCode::kUnsupported,
                 where + " has --add-runtime, and dockerd does not start with that and runtimes in " +
                     paths.daemon_json + " together; move its runtimes into the file first");
  }
  if (const auto real = host::find_program(settings.runc, "", ""); !real) return Error(real.error());
  if (const auto real = host::find_program(settings.nvidia, "", ""); !real) {
    report.notes.push_back("'" + std::string(kNvidiaRuntime) + "' starts nothing until " + settings.nvidia +
                           " is installed");
  }
  if (auto done = copy_programs(paths, &settings, report, dry_run); !done) return std::move(done).error();
  report.difference = line_difference(before, *after);
  if (*after != before) report.steps.push_back("write " + paths.daemon_json);
  if (!dry_run) {
    if (auto valid = validate(*after, paths, report); !valid) return std::move(valid).error();
    const auto before_at = paths.folder + "/" + std::string(kBefore);
    const auto seen = look(before, paths.folder);
    const bool ours = seen && seen->entries[0].state != EntryState::kAbsent && exists(installed_at);
    if (!ours) {  // a second install must not take our own entries for the file's past
      ::unlink(before_at.c_str());
      if (*text) {
        if (auto done = put(before_at, before, mode_of(paths.daemon_json, 0644)); !done) return std::move(done).error();
      }
    }
    if (auto done = put(installed_at, *after, 0644); !done) return std::move(done).error();
    if (*after != before) {
      const auto slash = paths.daemon_json.rfind('/');
      if (auto made = host::make_dirs(paths.daemon_json.substr(0, slash), 0755); !made) return std::move(made).error();
      if (auto done = put(paths.daemon_json, *after, mode_of(paths.daemon_json, 0644)); !done) {
        return std::move(done).error();
      }
    }
    ::unlink((paths.folder + "/" + std::string(runtime::kPassThroughName)).c_str());
  }
  if (!dry_run) clear_remains(view, settings, report);
  reload(view, report, dry_run);
  return report;
}

core::Result<Report> remove(const Paths& given, bool force, bool dry_run) {
  const auto view = look_at_host(given);
  const auto& paths = view.paths;
  Report report;
  const auto text = read_if_there(paths.daemon_json);
  if (!text) return at_file(text.error(), paths.daemon_json);
  report.users = find_users(paths.docker_root);
  const bool stays = !report.users.empty() && !force;
  if (stays) {
    if (exists(paths.folder + "/" + std::string(runtime::kShimName))) {
      report.steps.push_back("leave the runtime in place as a pass-through");
      if (!dry_run) {
        const auto done = put(paths.folder + "/" + std::string(runtime::kPassThroughName), "", 0644);
        if (!done) return Error(done.error());
      }
    }
    return report;
  }
  report.users.clear();
  const auto before = read_if_there(paths.folder + "/" + std::string(kBefore));
  const auto installed = read_if_there(paths.folder + "/" + std::string(kInstalled));
  const bool ours = installed && *installed;
  const bool known = ours && before;
  const bool untouched = known && *text && **text == **installed;
  if (untouched && !*before) {
    report.steps.push_back("remove " + paths.daemon_json + ", which was not there before");
    report.difference = line_difference(text->value_or(""), "");
    if (!dry_run && ::unlink(paths.daemon_json.c_str()) != 0) {
      return core::errno_error("removing " + paths.daemon_json, errno);
    }
  } else if (*text) {
    const bool drop = known && (!*before || !has_runtimes(**before));
    auto after = untouched ? core::Result<std::string>(**before) : without_entries(**text, drop);
    if (!after) return at_file(after.error(), paths.daemon_json);
    report.difference = line_difference(**text, *after);
    if (*after != **text) {
      report.steps.push_back("write " + paths.daemon_json);
      if (!dry_run) {
        if (auto done = put(paths.daemon_json, *after, mode_of(paths.daemon_json, 0644)); !done) {
          return std::move(done).error();
        }
      }
    }
  }
  const bool changed = !report.steps.empty();
  if (changed) reload(view, report, dry_run);
  const auto dir = host::open_dir(AT_FDCWD, paths.folder);
  if (!dir) return report;
  report.steps.push_back("remove " + paths.folder);
  if (dry_run) return report;
  const std::string log(runtime::kLogName);
  for (const std::string& name :
       {std::string(runtime::kShimName), std::string(runtime::kNvidiaShimName), std::string(runtime::kRunName),
        std::string(runtime::kSettingsName), std::string(runtime::kPassThroughName), log, log + ".1",
        std::string(kBefore), std::string(kInstalled), std::string(kCandidate)}) {
    if (auto gone = host::unlink_at(dir->get(), name); !gone) return std::move(gone).error();
  }
  if (::rmdir(paths.folder.c_str()) != 0) report.notes.push_back(paths.folder + " holds other files and stays");
  return report;
}

}  // namespace antifreeze::runtime_setup
