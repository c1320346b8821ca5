#include "autopsy/root_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/fd.h"
#include "core/text.h"
#include "host/dir.h"

namespace antifreeze::autopsy {
namespace {

constexpr std::size_t kMaxNames = 1000;

// The directory below `root` that holds `path`, each step taken without following a link, and the last name.
core::Result<core::Fd> open_parent(const std::string& root, const std::string& path, std::string& last) {
  auto at = host::open_dir(AT_FDCWD, root + "/.");
  if (!at) return at;
  const auto steps = core::split(path, '/');
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    if (steps[i].empty()) continue;
    at = host::open_dir(at->get(), std::string(steps[i]));
    if (!at) return at;
  }
  last = std::string(steps.back());
  return at;
}

}  // namespace

void RootReader::refuse(const std::string& path, const core::Error& error, const std::string& cost) {
  if (error.code() == core::ErrorCode::kNotFound) return;
  if (findings_.cannot_read.size() >= 50) return;
  const char* why =
      error.code() == core::ErrorCode::kPermission ? "not ours to read (try with sudo)" : "cannot be read";
  findings_.cannot_read.push_back("/" + path + ": " + why + "; " + cost);
}

std::optional<std::string> RootReader::read(const std::string& path, std::size_t max, const std::string& cost) {
  std::string name;
  auto parent = open_parent(root_, path, name);
  if (!parent) return refuse(path, parent.error(), cost), std::nullopt;
  auto file = host::open_regular_at(parent->get(), name, O_RDONLY);
  if (!file) return refuse(path, file.error(), cost), std::nullopt;
  struct stat info = {};
  if (::fstat(file->get(), &info) == 0 && info.st_size > static_cast<off_t>(max)) {
    if (::lseek(file->get(), info.st_size - static_cast<off_t>(max), SEEK_SET) < 0) return std::nullopt;
  }
  // /proc and /sys say size 0; a file may grow while it is read: bounded by read_all itself.
  auto content = host::read_all(file->get(), max + 65536);
  if (!content) return refuse(path, content.error(), cost), std::nullopt;
  return std::move(*content);
}

std::vector<std::string> RootReader::list(const std::string& path, const std::string& cost) {
  std::string name;
  auto parent = open_parent(root_, path + "/", name);
  if (!parent) return refuse(path, parent.error(), cost), std::vector<std::string>();
  auto names = host::list_names(parent->get(), kMaxNames);
  if (!names) return refuse(path, names.error(), cost), std::vector<std::string>();
  return names->names;
}

}  // namespace antifreeze::autopsy
