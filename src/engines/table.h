// The engines we know. Adding one is a line in table.cc and a file beside it.
#pragma once

#include <span>
#include <string_view>

#include "engines/dialect.h"

namespace antifreeze::engines {

/// All dialects, in the order in which they are tried.
std::span<const Dialect* const> all_dialects();

/// The dialect with that id, or nullptr.
const Dialect* dialect_of(std::string_view id);

}  // namespace antifreeze::engines
