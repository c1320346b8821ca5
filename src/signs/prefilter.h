// Where in a text a sign may be at all: most lines of a log hold none, and one automaton over whole blocks finds the
// others faster than any look at single lines.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"
#include "signs/catalogue.h"

namespace antifreeze::signs {

class Prefilter {
 public:
  /// `also`: a pattern for further lines that the caller wants to see; empty for none.
  static core::Result<Prefilter> build(const Catalogue& catalogue, std::string_view also);
  Prefilter(Prefilter&&) noexcept;
  Prefilter& operator=(Prefilter&&) noexcept;
  ~Prefilter();

  /// Offset of the first line of `lines` (whole lines, each with its LF) that may hold a sign; npos when none does. A
  /// line may be named without reason, none is missed.
  [[nodiscard]] std::size_t first_candidate(std::string_view lines) const;

 private:
  struct Compiled;
  explicit Prefilter(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

/// `pattern` without its anchors: a stamp stands in front of what the pattern calls the beginning.
std::string without_anchors(std::string_view pattern);

}  // namespace antifreeze::signs
