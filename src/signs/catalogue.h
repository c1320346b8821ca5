// The knowledge as it lies in knowledge/: signs, Xids, fixes, terms. Data, so that a new sign needs no C++.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "signs/sign.h"

namespace antifreeze::signs {

struct Catalogue {
  std::vector<Sign> signs;
  std::map<int, Xid> xids;
  std::vector<Fix> fixes;
  std::vector<Term> terms;
  std::string version;  ///< of the content: hex CRC-32C over all files in order of their names

  /// nullptr when there is none of that id.
  [[nodiscard]] const Sign* find(std::string_view id) const;
};

/// Reads knowledge/signs/*.toml, xid.toml, fixes.toml and terms.toml below `directory`. The first thing that is wrong
/// is the error: "FILE:LINE:COLUMN: what; what to do". Duplicate ids, unknown keys, patterns that RE2 refuses and
/// samples that are missing are errors; whether samples match is a test's matter.
core::Result<Catalogue> load_catalogue(const std::string& directory);

}  // namespace antifreeze::signs
