// What containers said last: Docker keeps it in files of its own, outside the journal, unless told otherwise.
#include <algorithm>

#include "autopsy/root_sources.h"
#include "core/json_tree.h"
#include "core/text.h"
#include "readings/date.h"

namespace antifreeze::autopsy {
namespace {

constexpr const char* kContainers = "var/lib/docker/containers";
constexpr std::size_t kMaxContainers = 64;
constexpr std::size_t kMaxTail = std::size_t{256} << 10;  // of one file: some thousand lines
constexpr std::size_t kMaxConfig = std::size_t{1} << 20;
constexpr std::size_t kMaxLine = 240;

std::string string_at(const core::JsonTree& tree, std::string_view key) {
  const auto member = tree.member(tree.root(), key);
  const auto text = member ? tree.string(*member) : std::nullopt;
  return text.value_or("");
}

// "/chat" in config.v2.json; the id's first twelve digits where that cannot be read.
std::string name_of(RootReader& root, const std::string& folder, const std::string& id) {
  const auto config = root.read(folder + "/config.v2.json", kMaxConfig, "a container is shown by its id");
  const auto tree = config ? core::JsonTree::parse(*config) : core::Error(core::ErrorCode::kNotFound, "");
  std::string name = tree ? string_at(*tree, "Name") : "";
  if (name.starts_with('/')) name.erase(0, 1);
  return core::printable(name.empty() ? std::string_view(id).substr(0, 12) : std::string_view(name), 64);
}

// One {"log":…,"stream":…,"time":…} a line (daemon/logger/jsonfilelog of moby). The first one may have been cut.
std::vector<SaidLine> lines_of(std::string_view content) {
  std::vector<SaidLine> lines;
  while (const auto line = core::next_line(content)) {
    const auto tree = core::JsonTree::parse(std::string(*line));
    if (!tree) continue;
    const auto wall = readings::parse_iso_time(string_at(*tree, "time"));
    const std::string log = string_at(*tree, "log");
    const auto text = core::trim(log);
    if (wall && !text.empty()) lines.push_back({*wall, core::printable(text, kMaxLine)});
  }
  return lines;
}

}  // namespace

void read_containers(RootReader& root, RootFindings& into) {
  auto ids = root.list(kContainers, "what containers said last is not known");
  if (ids.size() > kMaxContainers) ids.resize(kMaxContainers);
  for (const std::string& id : ids) {
    const std::string folder = std::string(kContainers) + "/" + id;
    const auto content =
        root.read(folder + "/" + id + "-json.log", kMaxTail, "what a container said last is not known");
    if (!content) continue;
    auto lines = lines_of(*content);
    if (!lines.empty()) into.said.push_back({name_of(root, folder, id), std::move(lines)});
  }
}

}  // namespace antifreeze::autopsy
