#include "run/command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "core/text.h"

namespace antifreeze::run {
namespace {

/// execvp(3)'s own default, which docker's images set as well.
constexpr std::string_view kUsualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

enum class Found { kNo, kNotRunnable, kYes };

Found look(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return Found::kNo;
  if (!S_ISREG(info.st_mode) || ::access(path.c_str(), X_OK) != 0) return Found::kNotRunnable;
  return Found::kYes;
}

/// The words as execve(2) wants them; they must outlive the array.
std::vector<char*> exec_array(const std::vector<std::string>& words) {
  std::vector<char*> array;
  array.reserve(words.size() + 1);
  for (const auto& word : words) array.push_back(const_cast<char*>(word.c_str()));
  array.push_back(nullptr);
  return array;
}

}  // namespace

core::Result<std::string> resolve_command(const std::string& word, const std::string& path_variable) {
  bool seen = false;
  const auto try_path = [&](const std::string& path) {
    const auto found = look(path);
    seen = seen || found == Found::kNotRunnable;
    return found == Found::kYes;
  };
  if (word.find('/') != std::string::npos) {
    if (try_path(word)) return word;
  } else if (!word.empty()) {
    for (const auto dir : core::split(path_variable.empty() ? kUsualPath : std::string_view(path_variable), ':')) {
      const auto path = (dir.empty() ? "." : std::string(dir)) + "/" + word;
      if (try_path(path)) return path;
    }
  }
  if (seen) {
    return core::Error(core::ErrorCode::kPermission,
                       "'" + word + "' cannot be run: no program, or no execute permission");
  }
  return core::Error(core::ErrorCode::kNotFound, "'" + word + "' not found");
}

int become_command(const std::string& path, const std::vector<std::string>& argv,
                   const std::vector<std::string>& environment, const host::Signals& signals) {
  const auto words = exec_array(argv);
  const auto variables = exec_array(environment);
  signals.restore_for_exec();
  ::execve(path.c_str(), words.data(), variables.data());
  return errno;
}

Spawned spawn_command(const std::string& path, const std::vector<std::string>& argv,
                      const std::vector<std::string>& environment, int out, int err, const host::Signals& signals) {
  const auto words = exec_array(argv);
  const auto variables = exec_array(environment);
  volatile int failed = 0;
  // The child does nothing but system calls, and `failed` is all that it writes.
  // NOLINTBEGIN(clang-analyzer-unix.Vfork,clang-analyzer-security.insecureAPI.vfork)
  const pid_t child = ::vfork();
  if (child == 0) {
    ::setpgid(0, 0);
    if (out >= 0) ::dup2(out, STDOUT_FILENO);
    if (err >= 0) ::dup2(err, STDERR_FILENO);
    signals.restore_for_exec();
    ::execve(path.c_str(), words.data(), variables.data());
    failed = errno;
    ::_exit(127);
  }
  // NOLINTEND(clang-analyzer-unix.Vfork,clang-analyzer-security.insecureAPI.vfork)
  if (child < 0) return {0, errno};
  return {child, failed};
}

}  // namespace antifreeze::run
