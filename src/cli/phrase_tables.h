// The tables behind phrases.h, one a file.
#pragma once

#include <span>

#include "cli/phrases.h"

namespace antifreeze::cli {

/// "ending.": how a boot ended.
std::span<const Phrase> ending_phrases();
/// "page.": table and page of the terminal, also used by the HTML page.
std::span<const Phrase> page_phrases();
/// "html.": what the HTML page alone says.
std::span<const Phrase> html_phrases();
/// "cause.", "start.", "test.", "unknown.", "note.", "found.": sentences about a boot; word for word what src/autopsy
/// writes, a test compares.
std::span<const Phrase> boot_sentences();
/// "read.": what could not be read, and what that costs.
std::span<const Phrase> read_sentences();

}  // namespace antifreeze::cli
