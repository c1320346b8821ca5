// What was starting when a boot ended, and whether several servers started at once.
#pragma once

#include <string>
#include <vector>

#include "autopsy/autopsy_types.h"
#include "signs/catalogue.h"

namespace antifreeze::autopsy {

struct Suspect;

/// Services whose start began in the last ten minutes of what is remembered and was not seen to end; dockerd loading
/// its containers; the gate's own word. Printable, at most 12.
std::vector<std::string> starting_at_end(const Boot& boot, const signs::Catalogue& catalogue);

/// Where a burst of memory failures in the driver meets several starts, or an engine complains that memory moved while
/// it measured, "startup_collision" is a suspect of its own.
void add_collision(const Boot& boot, const signs::Catalogue& catalogue, std::vector<Suspect>& suspects);

}  // namespace antifreeze::autopsy
