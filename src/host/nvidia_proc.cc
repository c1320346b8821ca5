#include "host/nvidia_proc.h"

#include <fcntl.h>

#include "host/dir.h"

namespace antifreeze::host {
namespace {

constexpr std::size_t kMaxGpus = 256;
constexpr std::size_t kMaxInformation = 4096;

}  // namespace

core::Result<std::vector<readings::NvidiaGpu>> list_nvidia_gpus(const std::string& root) {
  const auto gpus_dir = open_dir(AT_FDCWD, root + "/proc/driver/nvidia/gpus");
  if (!gpus_dir) return core::Error(gpus_dir.error());
  auto names = list_names(gpus_dir->get(), kMaxGpus);
  if (!names) return std::move(names).error();
  std::vector<readings::NvidiaGpu> gpus;
  for (const auto& name : names->names) {
    const auto address = readings::parse_bdf(name);
    if (!address) continue;
    readings::NvidiaGpu gpu;
    if (const auto text = read_file_at(gpus_dir->get(), name + "/information", kMaxInformation)) {
      gpu = readings::parse_nvidia_information(*text);
    }
    if (!gpu.bdf) gpu.bdf = address;
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

}  // namespace antifreeze::host
