#include "readings/fd_link.h"

#include "core/text.h"

namespace antifreeze::readings {

std::optional<std::uint64_t> link_inode(std::string_view target, std::string_view kind) {
  if (!target.starts_with(kind)) return std::nullopt;
  target.remove_prefix(kind.size());
  if (!target.starts_with(":[") || !target.ends_with("]")) return std::nullopt;
  return core::parse_uint(target.substr(2, target.size() - 3));
}

std::optional<std::uint64_t> socket_inode(std::string_view target) { return link_inode(target, "socket"); }

}  // namespace antifreeze::readings
