// The files of knowledge/ as text: TOML in, entries added to a catalogue.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "signs/catalogue.h"

namespace antifreeze::signs {

/// Each adds what `content` holds to `into`. `path` is for messages: "PATH:LINE:COLUMN: what; what to do".
core::Status parse_signs(std::string_view content, const std::string& path, Catalogue& into);
core::Status parse_xids(std::string_view content, const std::string& path, Catalogue& into);
core::Status parse_fixes(std::string_view content, const std::string& path, Catalogue& into);
core::Status parse_terms(std::string_view content, const std::string& path, Catalogue& into);

}  // namespace antifreeze::signs
