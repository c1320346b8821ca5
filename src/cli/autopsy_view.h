// What autopsy found, as text and as JSON.
#pragma once

#include <string>

#include "autopsy/autopsy_run.h"
#include "cli/json_text.h"
#include "cli/phrases.h"
#include "signs/catalogue.h"

namespace antifreeze::cli {

/// One line a boot. `columns` is the terminal's width.
std::string autopsy_table(const autopsy::Report& report, Lang lang, int columns);

/// The page of one boot: how it ended, causes with evidence for and against, the last lines, what to do, what is
/// unknown.
std::string autopsy_page(const autopsy::BootReport& boot, const signs::Catalogue& catalogue, Lang lang, int columns);

/// The published object: schema antifreeze/autopsy/v1, in English whatever the language. `only`: nullptr for all boots.
Json autopsy_json(const autopsy::Report& report, const autopsy::BootReport* only, const signs::Catalogue& catalogue);

}  // namespace antifreeze::cli
