// Ranks what may have been the reason: strength × closeness to the end × rarity on this host × direction.
#pragma once

#include <vector>

#include "autopsy/autopsy_types.h"
#include "autopsy/host_normal.h"
#include "signs/catalogue.h"

namespace antifreeze::autopsy {

/// A cause and the ending that it argues for.
struct Suspect {
  Cause cause;
  std::string ending;
  std::string fix;      ///< of the Xid table, or empty
  double near_end = 0;  ///< closeness alone: 1 within two minutes, 0.5 within ten, else 0.2
};

/// Best first. What follows from another suspect is left out, and named among that one's supports.
std::vector<Suspect> rank_causes(const Boot& boot, const signs::Catalogue& catalogue, const HostNormal& normal);

}  // namespace antifreeze::autopsy
