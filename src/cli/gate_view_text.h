// `gate status` for people and for programs.
#pragma once

#include <string>

#include "cli/gate_view.h"
#include "cli/json_text.h"

namespace antifreeze::cli {

/// The whole answer, each line with LF. Fits 80 columns but for long names and reasons.
std::string gate_view_text(const GateView& view, bool colour);

/// One object, schema antifreeze/gate-status/v1. What is not known is absent.
Json gate_view_json(const GateView& view);

}  // namespace antifreeze::cli
