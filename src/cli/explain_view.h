// What an id means: collected from the knowledge, shown as text and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/json_text.h"
#include "signs/catalogue.h"

namespace antifreeze::cli {

/// One thing that an id stands for; an id can stand for several (oom is an ending and a cause).
struct Explanation {
  std::string kind = {};  ///< "ending", "cause", "test", "evidence", "sign", "xid" or "fix"
  std::string id = {};
  std::string meaning = {};
  std::string confounders = {};               ///< what it is mistaken for, empty when nothing is known
  std::string ending = {};                    ///< what it argues for
  std::string cause = {};                     ///< the class that it stands for
  std::vector<std::string> causes = {};       ///< of a fix: what it helps against
  std::vector<std::string> samples = {};      ///< log lines
  std::vector<std::string> signs = {};        ///< of a cause or an ending: the signs that stand for it
  std::string risk = {};                      ///< of a fix
  std::string source = {};                    ///< where that is known from
  std::vector<const signs::Fix*> fixes = {};  ///< what to do; a fix names itself
};

/// Everything that `id` stands for, empty when nothing does. An Xid is "79", "xid79", "xid:79" or "Xid 79", an SXid's
/// number is none. Pointers are into `catalogue`.
std::vector<Explanation> explain(std::string_view id, const signs::Catalogue& catalogue);

/// All ids, a line a kind.
std::string explain_list(const signs::Catalogue& catalogue, int columns);
/// Every id that explain() knows, for a suggestion.
std::vector<std::string> explained_ids(const signs::Catalogue& catalogue);

std::string explain_text(const std::vector<Explanation>& found, int columns);
/// Schema antifreeze/explain/v1.
Json explain_json(std::string_view id, const std::vector<Explanation>& found);

}  // namespace antifreeze::cli
