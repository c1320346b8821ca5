// Files below a root that may be another machine's: nothing leads out of it, nothing is read without a bound.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autopsy/root_findings.h"

namespace antifreeze::autopsy {

/// Reads below one root and keeps what could not be read, for the page.
class RootReader {
 public:
  /// `root` is "/" for this machine. `findings` gets the lines about what cannot be read.
  RootReader(std::string root, RootFindings& findings) : root_(std::move(root)), findings_(findings) {}

  /// The file's content, at most `max` bytes (of the end where it is longer). nullopt when it is not there; a file that
  /// is there and not ours to read is one line in cannot_read, with `cost`: what is lost by that.
  std::optional<std::string> read(const std::string& path, std::size_t max, const std::string& cost);
  /// Names in a directory, sorted; empty when it is not there. At most 1000.
  std::vector<std::string> list(const std::string& path, const std::string& cost);

 private:
  void refuse(const std::string& path, const core::Error& error, const std::string& cost);

  std::string root_;
  RootFindings& findings_;
};

}  // namespace antifreeze::autopsy
