// A directory for one test, removed with everything in it. Tests only: uses std::filesystem.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "core/fd.h"

namespace antifreeze::host::fake {

class TempDir {
 public:
  TempDir() {
    const char* base = std::getenv("TMPDIR");
    path_ = std::string(base != nullptr && *base != 0 ? base : "/tmp") + "/antifreeze-test-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
    fd_ = core::Fd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }
  [[nodiscard]] int fd() const { return fd_.get(); }

  /// Creates or replaces a file, with the directories that lead to it.
  void write(std::string_view name, std::string_view content) const {
    const std::filesystem::path at(path(name));
    std::filesystem::create_directories(at.parent_path());
    const core::Fd file(::open(at.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file.valid() || ::write(file.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
      std::abort();
    }
  }
  void make_dir(std::string_view name) const { std::filesystem::create_directories(path(name)); }
  void link(std::string_view target, std::string_view name) const {
    const std::filesystem::path at(path(name));
    std::filesystem::create_directories(at.parent_path());
    std::filesystem::create_symlink(target, at);
  }

 private:
  std::string path_;
  core::Fd fd_;
};

}  // namespace antifreeze::host::fake
