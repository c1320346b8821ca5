// The program that we are, and programs that are looked for.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace antifreeze::host {

/// Where our own program lies, links resolved.
core::Result<std::string> own_executable();

/// `word` itself when it has a slash, else the first program of that name in `path_variable` and in the usual places.
/// Files that are the program `not_this` (same inode, "" for none) are passed over. kNotFound when there is none.
core::Result<std::string> find_program(std::string_view word, std::string_view path_variable,
                                       const std::string& not_this);

}  // namespace antifreeze::host
