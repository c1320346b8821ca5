// Which domains a start needs.
#pragma once

#include <string>
#include <vector>

#include "core/options.h"
#include "core/result.h"
#include "host/memory.h"
#include "readings/nvidia_gpus.h"

namespace antifreeze::run {

struct Domains {
  std::vector<std::string> names;  ///< sorted; {"host"} or GPU UUIDs
  std::string note;                ///< why it is the host although GPUs were asked for; "" otherwise
};

/// What resolving depends on.
struct DomainInput {
  std::string_view asked;                 ///< --domain: "host", "gpu", "gpu:UUID,…"
  std::string nvidia_visible;             ///< NVIDIA_VISIBLE_DEVICES, "" when unset
  std::string cuda_visible;               ///< CUDA_VISIBLE_DEVICES
  bool cuda_visible_set = false;          ///< set to "" hides every GPU
  bool pci_order = false;                 ///< CUDA_DEVICE_ORDER=PCI_BUS_ID
  std::vector<readings::NvidiaGpu> gpus;  ///< what /proc/driver/nvidia shows here, in PCI order
  host::MemoryKind memory = host::MemoryKind::kDiscrete;
};

/// Resolves to physical GPUs, by UUID (vllm-omni 4653: not by the string that names them). Whatever cannot be resolved
/// for certain becomes the whole host, with a note: too much waiting is safe, too little freezes. On unified memory
/// every GPU shares one pool, so it is always the host. kInvalid for an empty "gpu:".
core::Result<Domains> resolve_domains(const DomainInput& input);

}  // namespace antifreeze::run
