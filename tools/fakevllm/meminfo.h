// $FAKE_GPU_DIR/meminfo: what /proc/meminfo would say on the machine that the ledger describes.
#pragma once

#include <string>

#include "core/result.h"
#include "fakevllm/ledger_image.h"

namespace antifreeze::fakevllm {

/// The text: MemTotal, MemFree, MemAvailable, Cached in kB. Unified: device memory leaves MemFree and MemAvailable,
/// page cache leaves MemFree only. Discrete: device memory is not the host's.
std::string meminfo_text(const LedgerImage& image);

/// Replaces DIR/meminfo by rename, so that a reader never sees half of it.
core::Status write_meminfo(const std::string& dir, const LedgerImage& image);

}  // namespace antifreeze::fakevllm
