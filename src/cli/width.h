// How wide text is on a terminal, and padding, cutting and wrapping by that. Wide characters (CJK, kana, Hangul, emoji)
// take two columns, marks that combine with what stands before them none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace antifreeze::cli {

/// Columns of UTF-8 text; a stray byte counts as one.
std::size_t display_width(std::string_view text);
/// Filled with blanks on the right up to `width` columns; longer text stays whole.
std::string pad(std::string_view text, std::size_t width);
/// Cut to `width` columns, the last one '~' when something was cut. Where a wide character would be cut in half the
/// result is a column shorter.
std::string cut(std::string_view text, std::size_t width);
/// Lines of at most `width` columns (at least 30 of text), each behind `indent` and ended by LF. Breaks at blanks and
/// beside wide characters, but leaves no closing mark at a line's start and no opening one at its end. A longer word
/// stays whole.
std::string wrap(std::string_view text, std::size_t width, std::string_view indent);

}  // namespace antifreeze::cli
