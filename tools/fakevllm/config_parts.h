// The little languages inside single knobs.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "fakevllm/config.h"

namespace antifreeze::fakevllm {

/// Default of a knob as its table says; "" for none.
std::string_view knob_default(std::string_view name);
/// "+256M@0.5s,-256M@2s", in order of time.
core::Result<std::vector<SettleStep>> parse_settle(std::string_view pattern);
/// "4:exit=3:times=2,7:signal=SEGV:after_ms=500".
core::Result<std::vector<Trap>> parse_traps(std::string_view knob, std::string_view text);
/// "3:500,load:2s".
core::Status parse_slow(std::string_view text, std::array<std::int64_t, kPhases>& slow_ns);
/// "4:/tmp/go".
core::Status parse_wait(std::string_view text, std::array<std::string, kPhases>& files);

}  // namespace antifreeze::fakevllm
