#include "cli/report_file.h"

#include <fcntl.h>

#include "core/text.h"
#include "host/dir.h"

namespace antifreeze::cli {

using core::Error;
using core::ErrorCode;

core::Status write_report(const std::string& path, std::string_view content, std::string_view mark) {
  const std::string shown = core::printable(path);
  const std::size_t slash = path.find_last_of('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.empty() || name == "." || name == "..") {
    return Error(ErrorCode::kInvalid, "'" + shown + "' is no file's name; add one, like report.html");
  }
  // "/." follows a link to a directory: where a person's reports lie is up to them.
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash) + "/.";
  auto parent = host::open_dir(AT_FDCWD, folder);
  if (!parent) return std::move(parent).error().with_context("writing " + shown);
  const auto there = host::open_regular_at(parent->get(), name, O_RDONLY);
  if (there) {
    const auto start = host::pread_all(there->get(), mark.size());
    if (!start) return Error(start.error()).with_context("writing " + shown);
    if (*start != mark) {
      return Error(ErrorCode::kInvalid,
                   shown + " is there and is no report of antifreeze; remove it or name another file");
    }
  } else if (there.error().code() == ErrorCode::kTampered) {
    return Error(ErrorCode::kInvalid, shown + " is there and is no regular file; remove it or name another file");
  } else if (there.error().code() != ErrorCode::kNotFound) {
    return Error(there.error()).with_context("writing " + shown);
  }
  auto done = host::write_file_atomic(parent->get(), name, content, 0600, true);
  if (!done) return std::move(done).error().with_context("writing " + shown);
  return {};
}

}  // namespace antifreeze::cli
