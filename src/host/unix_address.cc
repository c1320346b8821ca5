#include "host/unix_address.h"

#include <cstddef>

namespace antifreeze::host {

std::optional<UnixAddress> unix_address(std::string_view name) {
  UnixAddress out;
  const bool abstract = name.starts_with('@');
  if (name.size() < 2 || name.size() >= sizeof(out.address.sun_path)) return std::nullopt;
  if (!abstract && !name.starts_with('/')) return std::nullopt;
  if (name.find('\0') != std::string_view::npos) return std::nullopt;
  out.address.sun_family = AF_UNIX;
  name.copy(out.address.sun_path, name.size());
  // An abstract name begins with NUL and has exactly its length; a path ends with one.
  if (abstract) out.address.sun_path[0] = '\0';
  out.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + (abstract ? 0 : 1));
  return out;
}

}  // namespace antifreeze::host
