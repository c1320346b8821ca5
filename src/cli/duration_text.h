// Durations as a status line shows them: two units at most, always readable at a glance.
#pragma once

#include <string>

#include "core/time.h"

namespace antifreeze::cli {

/// "19ms", "0.3s", "12.4s", "3m12s", "2h05m", "9d4h"; negative ones count as 0.
std::string short_duration(core::Nanos duration);

}  // namespace antifreeze::cli
