// The parts that autopsy_html is made of.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "autopsy/autopsy_run.h"
#include "cli/phrases.h"
#include "signs/catalogue.h"

namespace antifreeze::cli {

/// The style sheet, and its SHA-256 in base64: the page's policy lets this one through and no other.
std::string_view page_style();
std::string_view page_style_hash();

/// The anchor of a boot's section, without '#'.
std::string boot_anchor(const autopsy::BootReport& boot);

/// Boots as bars, coloured by ending, with a key; those in `explained` are links.
std::string boots_strip(const autopsy::Report& report, const std::set<const autopsy::BootReport*>& explained,
                        Lang lang);
/// Boots as a table, newest first.
std::string boots_table(const autopsy::Report& report, const std::set<const autopsy::BootReport*>& explained,
                        Lang lang);

/// All about one boot.
std::string boot_section(const autopsy::BootReport& boot, const signs::Catalogue& catalogue, Lang lang);

/// The boot's last minutes as a picture and as a table of lines.
std::string boot_timeline(const autopsy::BootReport& boot, const signs::Catalogue& catalogue, Lang lang);
std::string boot_lines(const autopsy::BootReport& boot, const signs::Catalogue& catalogue, Lang lang);
/// Whether `line` is the first event of the boot's first cause.
bool is_first_event(const autopsy::BootReport& boot, const autopsy::TailLine& line);
/// "error", "warning" or "note" for a line with a sign, "" for one without.
std::string_view mark_of(const autopsy::TailLine& line, const signs::Catalogue& catalogue);
/// The lane of a line: "kernel", "system", "service" or "other".
std::string_view lane_of(const autopsy::TailLine& line);

}  // namespace antifreeze::cli
