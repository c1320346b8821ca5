// How orderly a boot's last lines are.
#pragma once

#include <optional>
#include <string_view>

#include "autopsy/autopsy_types.h"
#include "signs/catalogue.h"

namespace antifreeze::autopsy {

struct EndMarks {
  bool stopped = false;  ///< journald's or the kernel's own last line stands at the end
  bool requested =
      false;  ///< somebody asked for the end, or targets of a shutdown were reached, in the last ten minutes
  bool wtmp_shutdown = false;
  const Hit* first = nullptr;  ///< the earliest of them near the end

  [[nodiscard]] bool clean() const { return stopped && (requested || wtmp_shutdown); }
};

/// Journald also stops in the middle of a boot, when the early journal moves to the disk: its word counts only at the
/// end and where something else says that the end was meant.
EndMarks end_marks(const Boot& boot, const signs::Catalogue& catalogue);

/// The tally of sign `id`; of the Xid `xid` when that is given. nullptr when the boot has none.
const Tally* find_tally(const Boot& boot, const signs::Catalogue& catalogue, std::string_view id,
                        std::optional<int> xid = std::nullopt);

/// Evidence of that id, nullptr when there is none.
const Evidence* find_evidence(const Boot& boot, std::string_view id);

}  // namespace antifreeze::autopsy
