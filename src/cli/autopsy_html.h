// What autopsy found, as one page that needs nothing else: no script, no font, no picture, no request.
#pragma once

#include <string>
#include <string_view>

#include "autopsy/autopsy_run.h"
#include "cli/phrases.h"
#include "core/time.h"
#include "signs/catalogue.h"

namespace antifreeze::cli {

/// How every page of ours begins, so that a later one may take its place.
inline constexpr std::string_view kReportMark = "<!-- antifreeze autopsy report -->\n";
/// So many boots are explained, the newest ones; a page of hundreds would be read by nobody.
inline constexpr std::size_t kExplained = 20;

struct PageFacts {
  core::WallTime made;
  std::string read_from;  ///< a place as the user named it; empty: this machine
  Lang lang = Lang::kEn;
};

/// The whole page. `only`: nullptr to explain those that ended badly, else that boot, however it ended; the table has
/// all boots in any case.
std::string autopsy_html(const autopsy::Report& report, const autopsy::BootReport* only,
                         const signs::Catalogue& catalogue, const PageFacts& facts);

}  // namespace antifreeze::cli
