#include "gate/keep_act.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "core/text.h"
#include "gate/keep_boots.h"
#include "gate/keep_copy.h"
#include "host/dir.h"
#include "host/dir_edit.h"

namespace antifreeze::gate {
namespace {

using core::Error;
using core::ErrorCode;
using core::Fd;
using core::Status;

constexpr std::string_view kMarker = "gate.id";
constexpr std::string_view kRegistry = "registry";
/// The first line of gate.id is the id; the second says how to read the directory.
constexpr std::string_view kFormatLine = "format 1\n";
constexpr std::size_t kIdBytes = 16;
/// Both logs (2 MiB) and some hundred tickets and breakers of a page each; bounded, because containers can fill it.
constexpr const char* kMountOptions = "size=4m,nr_inodes=4096,mode=1777";
constexpr mode_t kGateMode = 01777;

/// A state directory that we can work in, or why not.
core::Result<Fd> open_state(const std::string& path, bool create) {
  auto dir = host::open_dir(AT_FDCWD, path);
  if (!dir && create && dir.error().code() == ErrorCode::kNotFound) {
    if (auto made = host::make_dirs(path, 0755); !made) return std::move(made).error();
    dir = host::open_dir(AT_FDCWD, path);
  }
  if (!dir) return std::move(dir).error().with_context("state directory " + path);
  return dir;
}

enum class Marker { kAbsent, kOurs };

core::Result<Marker> find_marker(int gate_fd) {
  const auto fd = host::open_regular_at(gate_fd, std::string(kMarker), O_RDONLY);
  if (!fd) {
    if (fd.error().code() == ErrorCode::kNotFound) return Marker::kAbsent;
    return fd.error();
  }
  const auto info = host::file_info(fd->get());
  if (!info) return info.error();
  if (info->owner != ::geteuid()) {
    return Error(ErrorCode::kTampered, "gate.id belongs to user " + std::to_string(info->owner) + ", not to us");
  }
  return Marker::kOurs;
}

/// A mount point lies on another device than the directory that it is in.
bool is_own_mount(int dir_fd) {
  struct stat own{};
  struct stat parent{};
  return ::fstat(dir_fd, &own) == 0 && ::fstatat(dir_fd, "..", &parent, 0) == 0 && own.st_dev != parent.st_dev;
}

bool is_own_tmpfs(int dir_fd) {
  const auto kind = host::file_system_of(dir_fd);
  return kind && kind->name == "tmpfs" && is_own_mount(dir_fd);
}

/// One run of setup. Each step says what it does and, unless it is a dry run, does it.
class Setup {
 public:
  Setup(const SetupOptions& options, const host::Clock& clock) : options_(options), clock_(clock) {}

  core::Result<SetupReport> run() {
    for (const auto step : {&Setup::open_directories, &Setup::mount_gate, &Setup::make_registry, &Setup::restore,
                            &Setup::note_this_boot, &Setup::make_marker}) {
      if (auto done = (this->*step)(); !done) return std::move(done).error().with_context("gate set-up");
    }
    return std::move(report_);
  }

 private:
  /// Notes the step; true when it is to be done.
  bool doing(std::string text) {
    report_.steps.push_back(std::move(text));
    return !options_.dry_run;
  }

  Status open_directories() {
    const auto& paths = options_.paths;
    auto state = open_state(paths.state_dir, false);
    if (!state && state.error().code() == ErrorCode::kNotFound && doing("make directory " + paths.state_dir)) {
      state = open_state(paths.state_dir, true);
    }
    if (state) {
      state_ = std::move(*state);
    } else if (!options_.dry_run || state.error().code() != ErrorCode::kNotFound) {
      return std::move(state).error();
    }
    return open_gate();
  }

  Status open_gate() {
    const auto& path = options_.paths.gate_dir;
    auto gate = host::open_dir(AT_FDCWD, path);
    if (!gate && gate.error().code() == ErrorCode::kNotFound && doing("make directory " + path)) {
      if (auto made = host::make_dirs(path, kGateMode); !made) return made;
      gate = host::open_dir(AT_FDCWD, path);
    }
    if (gate) {
      gate_ = std::move(*gate);
      const auto marker = find_marker(gate_.get());
      if (!marker) return marker.error();
      was_set_up_ = *marker == Marker::kOurs;
    } else if (!options_.dry_run || gate.error().code() != ErrorCode::kNotFound) {
      return std::move(gate).error();
    }
    return {};
  }

  Status mount_gate() {
    const auto& path = options_.paths.gate_dir;
    if (was_set_up_) return {};
    if (options_.mount_tmpfs && !(gate_.valid() && is_own_tmpfs(gate_.get()))) {
      warn_of_covered_files();
      if (!doing("mount tmpfs (" + std::string(kMountOptions) + ") on " + path)) return {};
      if (::mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, kMountOptions) != 0) {
        return core::errno_error("mounting a tmpfs on " + path, errno);
      }
      auto mounted = host::open_dir(AT_FDCWD, path);
      if (!mounted) return std::move(mounted).error();
      gate_ = std::move(*mounted);
    }
    if (!gate_.valid()) return {};
    const auto info = host::file_info(gate_.get());
    if (!info) return info.error();
    if (info->mode == kGateMode || !doing("set mode 1777 on " + path)) return {};
    return host::set_mode(gate_.get(), kGateMode);
  }

  void warn_of_covered_files() {
    if (!gate_.valid()) return;
    const auto names = host::list_names(gate_.get(), 1);
    if (!names || names->names.empty()) return;
    report_.warnings.push_back(options_.paths.gate_dir + " is not empty: the mount covers what is in it");
  }

  Status make_registry() {
    const std::string name(kRegistry);
    if (gate_.valid()) {
      const auto there = host::open_regular_at(gate_.get(), name, O_RDONLY);
      if (there || there.error().code() != ErrorCode::kNotFound) return {};
    }
    if (!doing("create " + options_.paths.gate_dir + "/" + name)) return {};
    auto made = host::open_regular_at(gate_.get(), name, O_RDWR | O_CREAT | O_EXCL, 0666);
    if (!made) return std::move(made).error();
    return host::set_mode(made->get(), 0666);
  }

  Status restore() {
    if (was_set_up_) return {};  // what is missing there was removed there
    if (!doing("restore breakers and event log from " + options_.paths.state_dir)) return {};
    CopyReport copied;
    if (auto done = copy_breakers(state_.get(), gate_.get(), false, copied); !done) return done;
    if (auto done = restore_log(state_.get(), gate_.get(), copied); !done) return done;
    for (auto& warning : copied.warnings) report_.warnings.push_back(std::move(warning));
    return {};
  }

  Status note_this_boot() {
    BootList list;
    if (state_.valid()) {
      auto read = read_boots(state_.get());
      if (!read) {
        // Without the list there is no safe boot; without the gate there are collisions. The gate matters more.
        report_.warnings.push_back(read.error().message() + ": begun anew");
      } else {
        list = std::move(*read);
      }
    }
    if (list.damaged != 0) {
      report_.warnings.push_back(std::to_string(list.damaged) + " damaged lines in the list of boots left out");
    }
    const auto before = list.boots;
    note_boot(list.boots, options_.boot_id, clock_.wall());
    report_.safe_boot = decide_safe_boot(list.boots, clock_.wall(), options_.safe_boot);
    if (list.boots != before &&
        doing("note this boot in " + options_.paths.state_dir + "/" + std::string(kBootsFile))) {
      if (auto written = write_boots(state_.get(), list.boots); !written) return written;
    }
    if (was_set_up_ || !report_.safe_boot.safe_boot) return {};
    if (!doing("declare a safe boot: " + report_.safe_boot.reason)) return {};
    const auto text = encode_safe_boot(report_.safe_boot.reason, clock_.wall());
    return host::write_file_atomic(gate_.get(), std::string(kSafeBootFile), text, 0644, false);
  }

  Status make_marker() {
    if (was_set_up_ || !doing("create " + options_.paths.gate_dir + "/" + std::string(kMarker))) return {};
    auto id = host::random_hex(kIdBytes);
    if (!id) return std::move(id).error();
    return host::write_file_atomic(gate_.get(), std::string(kMarker), *id + "\n" + std::string(kFormatLine), 0444,
                                   false);
  }

  const SetupOptions& options_;
  const host::Clock& clock_;
  SetupReport report_;
  Fd gate_;
  Fd state_;
  bool was_set_up_ = false;
};

/// Reads the list of boots, makes sure that this one is in it, and lets `change` alter its entry.
template <typename Change>
Status change_this_boot(const KeepPaths& paths, const std::string& boot_id, const host::Clock& clock, Change change) {
  const auto state = open_state(paths.state_dir, true);
  if (!state) return state.error();
  auto list = read_boots(state->get());
  if (!list) return std::move(list).error();
  const auto before = list->boots;
  note_boot(list->boots, boot_id, clock.wall());
  change(list->boots.back());
  if (list->boots == before) return {};
  return write_boots(state->get(), list->boots);
}

}  // namespace

core::Result<SetupReport> setup(const SetupOptions& options, const host::Clock& clock) {
  return Setup(options, clock).run();
}

core::Result<SaveReport> save(const KeepPaths& paths) {
  const auto gate = host::open_dir(AT_FDCWD, paths.gate_dir);
  if (!gate) return Error(gate.error()).with_context("gate directory " + paths.gate_dir);
  const auto marker = find_marker(gate->get());
  if (!marker) return Error(marker.error()).with_context("gate directory " + paths.gate_dir);
  if (*marker == Marker::kAbsent) {
    return Error(ErrorCode::kNotFound, "gate directory " + paths.gate_dir + " has no gate.id: nothing to save");
  }
  const auto state = open_state(paths.state_dir, true);
  if (!state) return state.error();
  CopyReport copied;
  auto breakers = copy_breakers(gate->get(), state->get(), true, copied);
  auto log = save_log(gate->get(), state->get(), copied);
  if (!breakers) return std::move(breakers).error().with_context("saving breakers to " + paths.state_dir);
  if (!log) return std::move(log).error().with_context("saving the event log to " + paths.state_dir);
  return SaveReport{copied.changed, std::move(copied.warnings)};
}

Status mark_clean(const KeepPaths& paths, const std::string& boot_id, const host::Clock& clock) {
  return change_this_boot(paths, boot_id, clock, [](BootEntry& boot) { boot.ended_clean = true; });
}

Status mark_running(const KeepPaths& paths, const std::string& boot_id, const host::Clock& clock) {
  return change_this_boot(paths, boot_id, clock, [](BootEntry& boot) { boot.ended_clean = false; });
}

Status leave_safe_boot(const KeepPaths& paths, const std::string& boot_id, const host::Clock& clock) {
  const auto noted = change_this_boot(paths, boot_id, clock, [](BootEntry& boot) {
    boot.ended_clean = false;
    boot.acknowledged = true;
  });
  const auto gate = host::open_dir(AT_FDCWD, paths.gate_dir);
  if (!gate) return Error(gate.error()).with_context("gate directory " + paths.gate_dir);
  // Also when the note failed (a full disk): the person is waiting for the servers.
  if (auto removed = host::unlink_at(gate->get(), std::string(kSafeBootFile)); !removed) return removed;
  return noted;
}

}  // namespace antifreeze::gate
