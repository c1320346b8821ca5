// Which files make up the journal of a place.
#pragma once

#include <string>
#include <vector>

#include "journal/journal_source.h"

namespace antifreeze::journal {

/// Paths of *.journal and *.journal~, sorted, and what could not be looked into (in `health`). Nothing there is an
/// empty list. A directory that was named and does not exist is an error.
core::Result<std::vector<std::string>> find_files(const JournalPlace& place, JournalHealth& health);

}  // namespace antifreeze::journal
