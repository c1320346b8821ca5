#include "runtime/container_name.h"

#include <fcntl.h>

#include <optional>
#include <vector>

#include "core/text.h"
#include "host/dir.h"

namespace antifreeze::runtime {
namespace {

std::string parent(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

/// Name in DATA_ROOT/containers/ID/config.v2.json.
std::optional<std::string> name_in(const std::string& containers, const std::string& id) {
  const auto dir = host::open_dir(AT_FDCWD, containers + "/" + id);
  if (!dir) return std::nullopt;
  auto text = host::read_file_at(dir->get(), "config.v2.json", core::JsonTree::kMaxText);
  if (!text) return std::nullopt;
  const auto tree = core::JsonTree::parse(std::move(*text));
  if (!tree || tree->kind(tree->root()) != core::JsonKind::kObject) return std::nullopt;
  const auto own_id = tree->at({"ID"});
  const auto name = tree->at({"Name"});
  if (!own_id || tree->string(*own_id) != id || !name) return std::nullopt;
  auto value = tree->string(*name).value_or("");
  if (value.starts_with("/")) value.erase(0, 1);
  return value.empty() ? std::nullopt : std::optional(value);
}

}  // namespace

std::string docker_name(const ContainerSpec& spec, const std::string& id) {
  const bool is_id = !id.empty() && id.find('/') == std::string::npos && id != "." && id != "..";
  if (is_id) {
    for (const auto& mount : spec.mounts) {
      if (!mount.bind || (mount.destination != "/etc/hostname" && mount.destination != "/etc/hosts" &&
                          mount.destination != "/etc/resolv.conf")) {
        continue;
      }
      // The folder may be another container's, whose network this one shares.
      if (auto name = name_in(parent(parent(mount.source)), id)) return *name;
    }
    auto root = spec.root_path;
    for (int up = 0; up < 5 && !root.empty(); ++up) {
      root = parent(root);
      if (auto name = name_in(root + "/containers", id)) return *name;
    }
  }
  return core::printable(id.substr(0, 12));
}

}  // namespace antifreeze::runtime
