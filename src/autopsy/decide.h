// How a boot ended, and why: pure, from what was assembled.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "autopsy/autopsy_types.h"
#include "autopsy/host_normal.h"
#include "autopsy/root_findings.h"
#include "signs/catalogue.h"

namespace antifreeze::autopsy {

/// What is the same for all boots of a host.
struct Surroundings {
  std::vector<Change> changes;
  std::vector<std::string> detectors;
  bool is_text = false;   ///< a text log: no next boot need follow, and the end may be the paste's
  bool filtered = false;  ///< every line shares a word: somebody cut the rest out
  bool volatile_journal = false;
};

/// Order of evidence: an orderly end; a panic; what hardware said afterwards; what the log itself says near the end; an
/// end without a trace. `boots` as assemble() gives them, oldest first. Never fails: what is not known is said.
Verdict decide(const std::vector<Boot>& boots, std::size_t index, const signs::Catalogue& catalogue,
               const HostNormal& normal, const Surroundings& around);

}  // namespace antifreeze::autopsy
