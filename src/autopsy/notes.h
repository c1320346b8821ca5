// What is worth telling besides the ending.
#pragma once

#include <vector>

#include "autopsy/autopsy_types.h"
#include "signs/catalogue.h"

namespace antifreeze::autopsy {

/// Signs of role note that mean something to an owner (limits reached, crash loops, corrected errors, engines that gave
/// up), a first start that failed and then recovered. At most 20, by importance.
std::vector<Note> notes_of(const Boot& boot, const signs::Catalogue& catalogue);

}  // namespace antifreeze::autopsy
