#include "journal/find_files.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "host/dir.h"

namespace antifreeze::journal {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::size_t kMaxNames = 20'000;

bool is_machine_id(std::string_view name) {
  return name.size() == 32 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The files of one directory. False when it cannot be listed; `health` then says so.
bool add_files(const std::string& directory, std::vector<std::string>& files, std::vector<std::string>& folders,
               JournalHealth& health, bool must_exist) {
  // The top may be a link: people move /var/log/journal to a larger disk.
  auto fd = host::open_dir(AT_FDCWD, directory + "/.");
  if (!fd) {
    if (fd.error().code() == ErrorCode::kPermission) {
      health.no_permission = true;
      health.unreadable.push_back(directory + ": not ours to read");
    } else if (must_exist || fd.error().code() != ErrorCode::kNotFound) {
      health.unreadable.push_back(core::printable(fd.error().message()));
    }
    return false;
  }
  auto names = host::list_names(fd->get(), kMaxNames);
  if (!names) {
    health.unreadable.push_back(core::printable(names.error().message()));
    return false;
  }
  if (names->truncated) health.unreadable.push_back(directory + ": too many files, only a part is read");
  for (const std::string& name : names->names) {
    const std::string path = directory + "/" + name;
    if (name.ends_with(".journal") || name.ends_with(".journal~")) files.push_back(path);
    if (name.ends_with(".journal.xz") || name.ends_with(".journal~.xz") || name.ends_with(".journal.zst")) {
      health.unreadable.push_back(core::printable(name) + ": compressed; unpack it first");
    }
    if (is_machine_id(name)) folders.push_back(name);
  }
  return true;
}

// Machine ids below a root: its own one, when it says it and has files, else all.
std::vector<std::string> own_only(const std::string& root, std::vector<std::string> folders) {
  auto etc = host::open_dir(AT_FDCWD, root + "/etc");
  if (!etc) return folders;
  auto id = host::read_file_at(etc->get(), "machine-id", 128);
  if (!id) return folders;
  const std::string own(core::trim(*id));
  if (std::find(folders.begin(), folders.end(), own) == folders.end()) return folders;
  return {own};
}

void add_tree(const std::string& root, const std::string& directory, bool must_exist, std::vector<std::string>& files,
              JournalHealth& health) {
  std::vector<std::string> folders;
  if (!add_files(directory, files, folders, health, must_exist)) return;
  for (const std::string& folder : own_only(root, std::move(folders))) {
    std::vector<std::string> ignored;
    add_files(directory + "/" + folder, files, ignored, health, true);
  }
}

}  // namespace

core::Result<std::vector<std::string>> find_files(const JournalPlace& place, JournalHealth& health) {
  std::vector<std::string> files = place.files;
  if (place.directory) {
    auto there = host::open_dir(AT_FDCWD, *place.directory + "/.");
    if (!there && there.error().code() != ErrorCode::kPermission) return std::move(there).error();
    add_tree("", *place.directory, true, files, health);
  } else if (place.files.empty()) {
    std::string root = place.root.value_or("");
    while (root.ends_with('/')) root.pop_back();
    if (!root.empty()) {
      auto there = host::open_dir(AT_FDCWD, root + "/.");
      if (!there) return std::move(there).error();
    }
    add_tree(root, root + "/var/log/journal", false, files, health);
    const std::size_t lasting = files.size();
    add_tree(root, root + "/run/log/journal", false, files, health);
    health.is_volatile = lasting == 0 && !files.empty();
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace antifreeze::journal
