// A report that a person asked for in a file.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace antifreeze::cli {

/// Writes `content` to `path` in one step, mode 0600. A file that is already there is replaced only if it starts with
/// `mark`, as `content` does: one of ours. Errors: kInvalid with what to do when it is another file, a directory or a
/// link; what the system says otherwise.
core::Status write_report(const std::string& path, std::string_view content, std::string_view mark);

}  // namespace antifreeze::cli
