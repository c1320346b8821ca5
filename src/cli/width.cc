#include "cli/width.h"

#include <algorithm>
#include <array>

namespace antifreeze::cli {
namespace {

struct Range {
  char32_t first, last;
};

// Unicode Standard Annex 11, classes W and F, in blocks: what is unassigned within one counts as its neighbours do.
constexpr std::array<Range, 21> kWide = {{
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x2614, 0x2615}, {0x26a1, 0x26a1}, {0x2705, 0x2705},
    {0x274c, 0x274c},   {0x2e80, 0x303e},   {0x3041, 0x4dbf},   {0x4e00, 0xa4cf}, {0xa960, 0xa97c}, {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},   {0xff01, 0xff60}, {0xffe0, 0xffe6}, {0x16fe0, 0x18cd5},
    {0x1b000, 0x1b2fb}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
}};

// Combining marks, joiners and variation selectors.
constexpr std::array<Range, 9> kNoWidth = {{
    {0x0300, 0x036f},
    {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff},
    {0x200b, 0x200f},
    {0x2060, 0x2064},
    {0x20d0, 0x20ff},
    {0x3099, 0x309a},
    {0xfe00, 0xfe0f},
    {0xfe20, 0xfe2f},
}};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t c) {
  const auto at = std::ranges::upper_bound(ranges, c, {}, &Range::first);
  return at != ranges.begin() && c <= std::prev(at)->last;
}

struct Char {
  char32_t code = 0;
  std::size_t bytes = 1;
  std::size_t columns = 1;
};

/// The first character of `text`, which is not empty. A byte that begins no whole sequence stands for itself.
Char first_char(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  std::size_t bytes = 1;
  char32_t code = lead;
  if (lead >= 0xf0 && lead < 0xf8) {
    bytes = 4;
    code = lead & 0x07U;
  } else if (lead >= 0xe0) {
    bytes = lead < 0xf0 ? 3 : 1;
    code = lead & 0x0fU;
  } else if (lead >= 0xc0) {
    bytes = 2;
    code = lead & 0x1fU;
  }
  if (bytes > text.size()) return {lead, 1, 1};
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {lead, 1, 1};
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  if (bytes == 1) return {lead, 1, 1};
  return {code, bytes, within(kNoWidth, code) ? 0U : within(kWide, code) ? 2U : 1U};
}

/// Marks that must not begin a line in Japanese or Chinese text.
bool closes(char32_t c) {
  return std::u32string_view(U"、。，．：；！？）］｝」』】〉》〕ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ”’%)]},.:;!?")
             .find(c) != std::u32string_view::npos;
}

/// Marks that must not end one.
bool opens(char32_t c) { return std::u32string_view(U"（［｛「『【〈《〔“‘([{").find(c) != std::u32string_view::npos; }

/// What must stay together at the front of `text`: a word of narrow characters, or one wide character with its marks.
/// Its end, and the blanks behind it are left in `text`.
std::string_view first_piece(std::string_view text) {
  Char before = first_char(text);
  std::size_t at = before.bytes;
  while (at < text.size() && text[at] != ' ') {
    const Char next = first_char(text.substr(at));
    const bool beside_wide = before.columns == 2 || next.columns == 2;
    if (beside_wide && next.columns > 0 && !closes(next.code) && !opens(before.code)) break;
    if (next.columns > 0) before = next;
    at += next.bytes;
  }
  return text.substr(0, at);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Char next = first_char(text);
    width += next.columns;
    text.remove_prefix(next.bytes);
  }
  return width;
}

std::string pad(std::string_view text, std::size_t width) {
  std::string out(text);
  const auto has = display_width(text);
  if (has < width) out.append(width - has, ' ');
  return out;
}

std::string cut(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t at = 0;
  std::size_t columns = 0;
  while (at < text.size()) {
    const Char next = first_char(text.substr(at));
    if (columns + next.columns > width - 1) break;
    columns += next.columns;
    at += next.bytes;
  }
  return std::string(text.substr(0, at)) + "~";
}

std::string wrap(std::string_view text, std::size_t width, std::string_view indent) {
  constexpr std::size_t kLeast = 30;
  const std::size_t room = std::max(kLeast, width > indent.size() ? width - indent.size() : kLeast);
  std::string out;
  std::string line;
  std::size_t columns = 0;
  bool blank = false;
  while (!text.empty()) {
    if (text.front() == ' ') {
      blank = true;
      text.remove_prefix(1);
      continue;
    }
    const std::string_view piece = first_piece(text);
    text.remove_prefix(piece.size());
    const std::size_t wide = display_width(piece);
    if (!line.empty() && columns + (blank ? 1 : 0) + wide > room) {
      out.append(indent).append(line).append("\n");
      line.clear();
      columns = 0;
    }
    if (blank && !line.empty()) {
      line += ' ';
      ++columns;
    }
    line.append(piece);
    columns += wide;
    blank = false;
  }
  if (!line.empty()) out.append(indent).append(line).append("\n");
  return out;
}

}  // namespace antifreeze::cli
