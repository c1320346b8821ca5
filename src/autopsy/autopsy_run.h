// The whole of it: from a place with logs to verdicts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "autopsy/autopsy_types.h"
#include "core/result.h"
#include "signs/catalogue.h"

namespace antifreeze::autopsy {

/// What to look at. At most one of `journal`, `files`, `logs` is used, in that order; none of them: the journal below
/// `root`.
struct Places {
  std::string root = "/";
  bool root_given = false;             ///< --root: another machine's capture
  std::optional<std::string> journal;  ///< --journal DIR
  std::vector<std::string> files;      ///< --file X.journal
  std::vector<std::string> logs;       ///< --log FILE; "-" is standard input
  int year = 1970;                     ///< for text stamps without one

  /// Only this machine's own journal belongs into its history.
  [[nodiscard]] bool is_this_machine() const { return !root_given && !journal && files.empty() && logs.empty(); }
};

struct BootReport {
  int index = 0;  ///< 0 for the newest, -1 for the one before; capture kernels have none and are 1
  Boot boot;
  Verdict verdict;
};

struct Report {
  std::vector<BootReport> boots;         ///< oldest first
  std::vector<std::string> cannot_read;  ///< what could not be read and what that costs
  std::vector<std::string> hosts;        ///< names of the machine, for whoever wants to take them out
  std::vector<std::string> users;        ///< names of people who have an account on it
};

/// Reads and decides. `progress` gets 0…1 and may be empty. Errors: a place that was named and is not there; anything
/// else is in `cannot_read`.
core::Result<Report> run_autopsy(const Places& places, const signs::Catalogue& catalogue,
                                 const std::function<void(double)>& progress);

}  // namespace antifreeze::autopsy
