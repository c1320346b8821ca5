#include "host/executable.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "core/text.h"

namespace antifreeze::host {
namespace {

constexpr std::string_view kUsualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

bool is_program(const std::string& path, const struct stat* but) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || ::access(path.c_str(), X_OK) != 0) return false;
  return but == nullptr || info.st_dev != but->st_dev || info.st_ino != but->st_ino;
}

}  // namespace

core::Result<std::string> own_executable() {
  std::array<char, PATH_MAX> buffer;
  const auto size = ::readlink("/proc/self/exe", buffer.data(), buffer.size());
  if (size <= 0) return core::errno_error("finding our own program", errno);
  std::string path(buffer.data(), static_cast<std::size_t>(size));
  constexpr std::string_view kGone = " (deleted)";
  if (path.ends_with(kGone)) path.resize(path.size() - kGone.size());
  return path;
}

core::Result<std::string> find_program(std::string_view word, std::string_view path_variable,
                                       const std::string& not_this) {
  struct stat own{};
  const struct stat* but = !not_this.empty() && ::stat(not_this.c_str(), &own) == 0 ? &own : nullptr;
  if (word.find('/') != std::string_view::npos) {
    if (is_program(std::string(word), but)) return std::string(word);
  } else if (!word.empty()) {
    for (const auto list : {path_variable, kUsualPath}) {
      for (const auto dir : core::split(list, ':')) {
        if (dir.empty()) continue;
        auto path = std::string(dir) + "/" + std::string(word);
        if (is_program(path, but)) return path;
      }
    }
  }
  return core::Error(core::ErrorCode::kNotFound, "program '" + core::printable(word) + "' not found");
}

}  // namespace antifreeze::host
