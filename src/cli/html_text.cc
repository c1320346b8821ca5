#include "cli/html_text.h"

#include <cstdint>

namespace antifreeze::cli {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Decoded {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: no whole, shortest sequence begins here
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xc2 || lead > 0xf4) return {};
  const std::size_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes > text.size()) return {};
  char32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  if ((bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000) || code > 0x10ffff) return {};
  return {code, bytes};
}

bool may_stand(char32_t c) {
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return false;
  if (c >= 0xd800 && c <= 0xdfff) return false;                                               // surrogates
  if ((c & 0xfffeU) == 0xfffeU || (c >= 0xfdd0 && c <= 0xfdef)) return false;                 // no characters
  if (c == 0x061c || (c >= 0x200b && c <= 0x200f) || c == 0xfeff || c == 0xad) return false;  // unseen
  return !(c >= 0x2028 && c <= 0x202e) && !(c >= 0x2060 && c <= 0x206f);                      // breaks, directions
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return "";
  }
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const Decoded next = decode(text);
    const std::size_t bytes = next.bytes == 0 ? 1 : next.bytes;
    if (const auto name = entity(text.front()); !name.empty()) {
      out.append(name);
    } else if (text.front() == '\t') {
      out += ' ';
    } else if (next.bytes == 0 || !may_stand(next.code)) {
      out.append(kReplacement);
    } else {
      out.append(text.substr(0, bytes));
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::string html_element(std::string_view name, std::string_view text, std::string_view attributes) {
  std::string out = "<";
  out.append(name).append(attributes).append(">").append(html_text(text)).append("</").append(name).append(">");
  return out;
}

}  // namespace antifreeze::cli
