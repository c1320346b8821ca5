// Text for an HTML page. Everything that comes from logs goes through here.
#pragma once

#include <string>
#include <string_view>

namespace antifreeze::cli {

/// `text` as it may stand between tags and in quoted attributes: the five characters that mean something are entities;
/// bytes that are no UTF-8, controls, and characters that turn or hide the text around them are U+FFFD each.
std::string html_text(std::string_view text);

/// "<NAME>text</NAME>" with the text escaped; `attributes` (" class=\"x\"") are put in as they are.
std::string html_element(std::string_view name, std::string_view text, std::string_view attributes = "");

}  // namespace antifreeze::cli
