// The GPUs as the NVIDIA driver lists them in /proc, without NVML: no library, no call that can hang.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "readings/nvidia_gpus.h"

namespace antifreeze::host {

/// Reads ROOT/proc/driver/nvidia/gpus/*/information, in the order of PCI addresses. kNotFound: no driver is visible
/// here, which in a container does not mean that the host has none. A GPU whose file cannot be read is listed with its
/// address alone.
core::Result<std::vector<readings::NvidiaGpu>> list_nvidia_gpus(const std::string& root = "/");

}  // namespace antifreeze::host
