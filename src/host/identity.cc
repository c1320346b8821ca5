#include "host/identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/fd.h"
#include "core/text.h"
#include "host/dir.h"

namespace antifreeze::host {

core::Result<Identity> read_identity() {
  Identity identity;
  const core::Fd fd(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    return core::Error(core::ErrorCode::kNotFound,
                       "/proc/sys/kernel/random/boot_id cannot be read; mount /proc in this container");
  }
  auto text = read_all(fd.get(), 128);
  if (!text) return std::move(text).error().with_context("boot id");
  identity.boot_id = core::printable(core::trim(*text), 64);
  struct stat info{};
  if (::stat("/proc/self/ns/pid", &info) == 0) identity.pid_namespace = info.st_ino;
  utsname names{};
  if (::uname(&names) == 0) identity.hostname = core::printable(names.nodename, 64);
  return identity;
}

std::optional<std::string> program_directory() {
  char path[4096];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  if (size <= 0 || size == static_cast<ssize_t>(sizeof path)) return std::nullopt;
  const std::string_view whole(path, static_cast<std::size_t>(size));
  return std::string(whole.substr(0, whole.rfind('/')));
}

}  // namespace antifreeze::host
