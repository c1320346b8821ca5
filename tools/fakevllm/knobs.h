// The --fake-* knobs, declared once: parsing, FAKE_* twins and --help come from these tables.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/options.h"

namespace antifreeze::fakevllm {

/// Knobs that belong together in --help.
struct KnobGroup {
  std::string_view title;
  std::span<const core::OptionSpec> knobs;
};

/// All knobs. Names are without dashes: "fake-weights".
std::span<const KnobGroup> knob_groups();
/// "fake-load-ms" -> "FAKE_LOAD_MS".
std::string knob_environment_name(std::string_view knob);

}  // namespace antifreeze::fakevllm
