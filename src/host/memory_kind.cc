#include "host/memory_kind.h"

#include <fcntl.h>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "host/dir.h"
#include "host/nvidia_proc.h"

namespace antifreeze::host {
namespace {

/// Machines and GPUs without memory of their own, in lower case, '_' as blank. GB10 is sold under many product names
/// (ASUS, Dell, HP, Lenovo …), which is why the GPU's name is asked too.
constexpr std::array<std::string_view, 7> kUnifiedNames{"dgx spark", "project digits", "gb10", "jetson",
                                                        "orin",      "thor",           "tegra"};

/// AMD GPUs that live in the processor's memory (PCI vendor 0x1002, pci-ids.ucw.cz) and are used for inference.
constexpr std::array<std::string_view, 3> kUnifiedAmdDevices{"0x1586",   // Strix Halo, Radeon 8060S
                                                             "0x150e",   // Strix Point, Radeon 890M
                                                             "0x74a0"};  // Instinct MI300A

constexpr std::size_t kMaxEntries = 4096;

bool is_word_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// Whether `text` holds `name` as words of its own: GB10, but not GB100; Thor, but not "author".
bool names_it(std::string_view text, std::string_view name) {
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || !is_word_char(text[at - 1]);
    const auto after = at + name.size();
    if (begins && (after == text.size() || !is_word_char(text[after]))) return true;
  }
  return false;
}

bool is_unified_name(std::string_view text) {
  std::string normal(text);
  for (char& c : normal) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = ' ';
  }
  for (const auto name : kUnifiedNames) {
    if (names_it(normal, name)) return true;
  }
  return false;
}

/// The first line of a small file, without NUL and blanks at its end; empty when there is none.
std::string first_line(const std::string& path) {
  const auto text = read_file_at(AT_FDCWD, path, 4096);
  if (!text) return {};
  return std::string(core::trim(std::string_view(*text).substr(0, text->find_first_of(std::string_view("\n\0", 2)))));
}

std::vector<std::string> names_in(const std::string& path) {
  const auto dir = open_dir(AT_FDCWD, path);
  if (!dir) return {};
  auto list = list_names(dir->get(), kMaxEntries);
  return list ? std::move(list->names) : std::vector<std::string>();
}

struct Source {
  std::string_view what;
  std::string_view path;
};
/// A container does not see the device tree (Docker masks /sys/firmware) but does see the others.
constexpr std::array<Source, 6> kMachineNames{{{"DMI product", "/sys/class/dmi/id/product_name"},
                                               {"DMI family", "/sys/class/dmi/id/product_family"},
                                               {"device tree model", "/sys/firmware/devicetree/base/model"},
                                               {"device tree model", "/proc/device-tree/model"},
                                               {"SoC machine", "/sys/devices/soc0/machine"},
                                               {"SoC family", "/sys/devices/soc0/family"}}};

std::optional<std::string> unified_machine(const std::string& root) {
  for (const auto& source : kMachineNames) {
    const auto name = first_line(root + std::string(source.path));
    if (is_unified_name(name)) return std::string(source.what) + " " + core::printable(name);
  }
  return std::nullopt;
}

/// All AMD GPUs of the machine are of the unified kind, and there is at least one.
bool only_unified_amd(const std::string& root) {
  const std::string drm = root + "/sys/class/drm/";
  bool found = false;
  for (const auto& name : names_in(drm)) {
    if (!name.starts_with("card") || name.find('-') != std::string::npos) continue;  // card0-HDMI-A-1: an outlet
    if (first_line(drm + name + "/device/vendor") != "0x1002") continue;
    const auto device = first_line(drm + name + "/device/device");
    bool unified = false;
    for (const auto known : kUnifiedAmdDevices) unified = unified || device == known;
    if (!unified) return false;
    found = true;
  }
  return found;
}

/// The first GPU device node in ROOT/dev.
std::optional<std::string> gpu_node(const std::string& root) {
  for (const auto& name : names_in(root + "/dev")) {
    const bool numbered = name.starts_with("nvidia") && core::parse_uint(name.substr(6));
    if (numbered || name == "kfd" || name == "dxg") return "/dev/" + name;
  }
  for (const auto& name : names_in(root + "/dev/dri")) {
    if (name.starts_with("renderD")) return "/dev/dri/" + name;
  }
  return std::nullopt;
}

MemoryKindFinding from_nvidia(const std::vector<readings::NvidiaGpu>& gpus) {
  for (const auto& gpu : gpus) {
    const auto model = gpu.model.value_or("unnamed");
    if (!is_unified_name(model)) return {MemoryKind::kDiscrete, "GPU " + core::printable(model)};
  }
  return {MemoryKind::kUnified, "GPU " + core::printable(*gpus.front().model)};
}

}  // namespace

MemoryKindFinding detect_memory_kind(const std::string& root) {
  if (auto machine = unified_machine(root)) return {MemoryKind::kUnified, *std::move(machine)};
  const auto gpus = list_nvidia_gpus(root);
  if (gpus && !gpus->empty()) return from_nvidia(*gpus);
  const auto node = gpu_node(root);
  if (!node && !gpus) return {MemoryKind::kHostOnly, "no GPU device is visible"};
  if (node && !node->starts_with("/dev/nvidia") && only_unified_amd(root)) {
    return {MemoryKind::kUnified, "AMD processor graphics"};
  }
  return {MemoryKind::kDiscrete, node ? *node : "NVIDIA driver without GPUs"};
}

}  // namespace antifreeze::host
