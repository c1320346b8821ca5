// Small text scanning: numbers without a locale, splitting, trimming.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace antifreeze::core {

/// A whole decimal integer, optional leading '-'; nullopt on anything else or overflow.
std::optional<std::int64_t> parse_int(std::string_view text);
/// A whole unsigned integer in base 10 or 16 (no prefix); nullopt on anything else or overflow.
std::optional<std::uint64_t> parse_uint(std::string_view text, int base = 10);
/// "12", "0.35", ".5": digits with at most one point; no sign, exponent or locale.
std::optional<double> parse_decimal(std::string_view text);

/// Pieces between `separator`s; empty pieces kept. "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Pieces between runs of blanks and tabs; no empty pieces.
std::vector<std::string_view> split_words(std::string_view text);
/// Cuts blanks, tabs, CR and LF from both ends.
std::string_view trim(std::string_view text);
/// Takes the next line off `text` (without its LF). nullopt when `text` is empty.
std::optional<std::string_view> next_line(std::string_view& text);

/// Exactly `digits` lower-case hex digits, zero-padded.
std::string to_hex(std::uint64_t value, int digits);

/// Replaces every byte that could forge a log line (controls, DEL) by '?', and cuts to `max_bytes`.
std::string printable(std::string_view text, std::size_t max_bytes = 256);

/// How many single bytes must be put in, left out or changed to make `b` of `a`. Time grows with the product of the two
/// lengths: for words that a person typed.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace antifreeze::core
