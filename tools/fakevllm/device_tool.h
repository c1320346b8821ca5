// `fakevllm device …`: the ledger by hand, for tests.
#pragma once

#include <span>
#include <string_view>

namespace antifreeze::fakevllm {

/// init, show, hold, cache, watch. Returns the exit code.
int device_main(std::span<const std::string_view> args);
/// `fakevllm child …`. Returns the exit code.
int child_main(std::span<const std::string_view> args);

}  // namespace antifreeze::fakevllm
