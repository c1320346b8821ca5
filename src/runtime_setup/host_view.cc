#include "runtime_setup/host_view.h"

#include <fcntl.h>

#include <algorithm>

#include "core/json_tree.h"
#include "core/text.h"
#include "host/dir.h"

namespace antifreeze::runtime_setup {
namespace {

constexpr std::size_t kMaxContainers = 10000;

std::string json_string(const std::string& text, std::string_view key) {
  const auto tree = core::JsonTree::parse(text);
  const auto node = tree ? tree->at({key}) : std::nullopt;
  return node ? tree->string(*node).value_or("") : "";
}

void find_users_in(const std::string& containers, std::vector<User>& users) {
  const auto dir = host::open_dir(AT_FDCWD, containers);
  const auto names = dir ? host::list_names(dir->get(), kMaxContainers) : core::Error(core::ErrorCode::kNotFound, "");
  if (!names) return;
  for (const auto& id : names->names) {
    const auto folder = host::open_dir(dir->get(), id);
    if (!folder) continue;
    const auto host_config = host::read_file_at(folder->get(), "hostconfig.json", core::JsonTree::kMaxText);
    if (!host_config) continue;
    const auto runtime = json_string(*host_config, "Runtime");
    if (runtime != kPlainRuntime && runtime != kNvidiaRuntime) continue;
    const auto config = host::read_file_at(folder->get(), "config.v2.json", core::JsonTree::kMaxText);
    auto name = config ? json_string(*config, "Name") : "";
    if (name.starts_with("/")) name.erase(0, 1);
    users.push_back({core::printable(id.substr(0, 12)), core::printable(name), runtime, id});
  }
}

bool mentions(const std::string& path) {
  const auto text = read_if_there(path);
  if (!text || !*text) return false;
  std::string_view rest = **text;
  while (const auto line = core::next_line(rest)) {
    if (!core::trim(*line).starts_with("#") && line->find("--add-runtime") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

core::Result<std::optional<std::string>> read_if_there(const std::string& path) {
  auto text = host::read_file_at(AT_FDCWD, path, core::JsonTree::kMaxText);
  if (text) return std::optional(std::move(*text));
  if (text.error().code() == core::ErrorCode::kNotFound) return std::optional<std::string>();
  return std::move(text).error();
}

std::optional<std::string> option_value(const std::vector<std::string>& argv, const std::string& name) {
  for (std::size_t at = 0; at < argv.size(); ++at) {
    if (argv[at] == name && at + 1 < argv.size()) return argv[at + 1];
    if (argv[at].starts_with(name + "=")) return argv[at].substr(name.size() + 1);
  }
  return std::nullopt;
}

HostView look_at_host(Paths paths) {
  HostView view;
  const bool daemon_json_given = !paths.daemon_json.empty();
  if (!daemon_json_given) paths.daemon_json = "/etc/docker/daemon.json";
  std::string text;
  const auto reread = [&] {
    const auto read = read_if_there(paths.daemon_json);
    text = read && *read ? **read : "";
  };
  reread();
  if (paths.pidfile.empty()) paths.pidfile = json_string(text, "pidfile");
  if (paths.pidfile.empty()) paths.pidfile = "/var/run/docker.pid";
  view.dockerd = host::find_daemon(paths.pidfile, "dockerd");
  const auto argv = view.dockerd ? view.dockerd->argv : std::vector<std::string>();
  if (const auto told = option_value(argv, "--config-file"); told && !daemon_json_given) {
    paths.daemon_json = *told;
    reread();
  }
  if (paths.docker_root.empty()) paths.docker_root = option_value(argv, "--data-root").value_or("");
  if (paths.docker_root.empty()) paths.docker_root = json_string(text, "data-root");
  if (paths.docker_root.empty()) paths.docker_root = "/var/lib/docker";
  view.paths = std::move(paths);
  return view;
}

std::vector<User> find_users(const std::string& docker_root) {
  std::vector<User> users;
  find_users_in(docker_root + "/containers", users);
  // With userns-remap every mapping has a root of its own: 100000.100000.
  const auto dir = host::open_dir(AT_FDCWD, docker_root);
  const auto names = dir ? host::list_names(dir->get(), 1000) : core::Error(core::ErrorCode::kNotFound, "");
  if (!names) return users;
  for (const auto& name : names->names) {
    const bool mapping = name.find('.') != std::string::npos &&
                         std::ranges::all_of(name, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
    if (mapping) find_users_in(docker_root + "/" + name + "/containers", users);
  }
  return users;
}

std::vector<Remains> find_remains(const HostView& view) {
  std::vector<Remains> all;
  const auto argv = view.dockerd ? view.dockerd->argv : std::vector<std::string>();
  const auto exec_root = option_value(argv, "--exec-root").value_or("/var/run/docker");
  const auto users = find_users(view.paths.docker_root);
  // Docker 20.10 has one folder for all of them, newer ones may have one each.
  for (const std::string_view runtime : {std::string_view("runc"), kPlainRuntime, kNvidiaRuntime}) {
    Remains remains{exec_root + "/runtime-" + std::string(runtime) + "/moby", {}};
    const auto dir = host::open_dir(AT_FDCWD, remains.root);
    if (!dir) continue;
    for (const auto& user : users) {
      if (host::open_dir(dir->get(), user.full_id)) remains.ids.push_back(user.full_id);
    }
    all.push_back(std::move(remains));
  }
  return all;
}

std::string adds_runtimes_elsewhere(const HostView& view) {
  if (view.dockerd && option_value(view.dockerd->argv, "--add-runtime")) return "the running dockerd's command line";
  for (const auto& path : view.paths.docker_files) {
    const auto dir = host::open_dir(AT_FDCWD, path);
    if (!dir) {
      if (mentions(path)) return path;
      continue;
    }
    const auto names = host::list_names(dir->get(), 1000);
    for (const auto& name : names ? names->names : std::vector<std::string>()) {
      if (name.ends_with(".conf") && mentions(path + "/" + name)) return path + "/" + name;
    }
  }
  return "";
}

}  // namespace antifreeze::runtime_setup
