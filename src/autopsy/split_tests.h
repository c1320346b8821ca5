// Splits an end without a trace as a careful engineer would by hand.
#pragma once

#include <cstddef>
#include <vector>

#include "autopsy/autopsy_types.h"
#include "signs/catalogue.h"

namespace antifreeze::autopsy {

struct Surroundings;

/// near_timer, in_use, after_change, swap, several_servers, heat, power: each supports, contradicts or cannot tell, and
/// then says what to record so that next time it can.
std::vector<SplitTest> split_tests(const std::vector<Boot>& boots, std::size_t index, const signs::Catalogue& catalogue,
                                   const Surroundings& around);

}  // namespace antifreeze::autopsy
