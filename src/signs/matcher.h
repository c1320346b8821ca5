// Finds the signs in a line: one pass over all patterns at once, then the fields of those that matched.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "readings/log_entry.h"
#include "signs/catalogue.h"

namespace antifreeze::signs {

/// A sign in a line. Views point into the line.
struct Match {
  std::size_t sign = 0;                                               ///< index into the catalogue's signs
  std::vector<std::pair<std::string_view, std::string_view>> fields;  ///< name, text; only groups that took part
};

/// Keeps a reference to the catalogue: that one must live longer. For one thread at a time.
class Matcher {
 public:
  static core::Result<Matcher> build(const Catalogue& catalogue);
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;
  ~Matcher();

  /// The signs in the entry whose origin allows it, in catalogue order. Only the first 4 KiB of a message are looked
  /// at.
  void match(const readings::LogEntry& entry, std::vector<Match>& out) const;

 private:
  struct Compiled;
  explicit Matcher(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace antifreeze::signs
