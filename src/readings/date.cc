#include "readings/date.h"

#include <array>
#include <chrono>
#include <string>

#include "core/text.h"

namespace antifreeze::readings {
namespace {

struct Month {
  std::string_view start;  // lower case; a word that begins so
  int number;
};

// Longer beginnings first where a shorter one would be another month's.
constexpr std::array kMonths = {
    Month{"jan", 1},  Month{"ene", 1},  Month{"gen", 1},  Month{"sty", 1},  Month{"янв", 1},  Month{"feb", 2},
    Month{"fév", 2},  Month{"fev", 2},  Month{"lut", 2},  Month{"фев", 2},  Month{"mar", 3},  Month{"mär", 3},
    Month{"mrz", 3},  Month{"мар", 3},  Month{"apr", 4},  Month{"abr", 4},  Month{"avr", 4},  Month{"kwi", 4},
    Month{"апр", 4},  Month{"may", 5},  Month{"mai", 5},  Month{"maj", 5},  Month{"mag", 5},  Month{"май", 5},
    Month{"мая", 5},  Month{"juin", 6}, Month{"jun", 6},  Month{"giu", 6},  Month{"cze", 6},  Month{"июн", 6},
    Month{"juil", 7}, Month{"jul", 7},  Month{"lug", 7},  Month{"lip", 7},  Month{"июл", 7},  Month{"aug", 8},
    Month{"ago", 8},  Month{"aoû", 8},  Month{"aou", 8},  Month{"sie", 8},  Month{"авг", 8},  Month{"sep", 9},
    Month{"set", 9},  Month{"wrz", 9},  Month{"сен", 9},  Month{"oct", 10}, Month{"okt", 10}, Month{"out", 10},
    Month{"ott", 10}, Month{"paź", 10}, Month{"paz", 10}, Month{"окт", 10}, Month{"nov", 11}, Month{"lis", 11},
    Month{"ноя", 11}, Month{"dec", 12}, Month{"dez", 12}, Month{"dic", 12}, Month{"déc", 12}, Month{"gru", 12},
    Month{"дек", 12}};

// Two-byte UTF-8 of Cyrillic and Latin capitals as well: enough for the words above.
std::string lower(std::string_view word) {
  std::string out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto byte = static_cast<unsigned char>(word[i]);
    if (byte >= 'A' && byte <= 'Z') {
      out += static_cast<char>(byte + 32);
    } else if (byte == 0xd0 && i + 1 < word.size()) {
      const auto next = static_cast<unsigned char>(word[++i]);
      if (next >= 0x90 && next <= 0x9f) {  // А…П
        out += {static_cast<char>(0xd0), static_cast<char>(next + 0x20)};
      } else if (next >= 0xa0 && next <= 0xaf) {  // Р…Я
        out += {static_cast<char>(0xd1), static_cast<char>(next - 0x20)};
      } else {
        out += {static_cast<char>(0xd0), static_cast<char>(next)};
      }
    } else {
      out += static_cast<char>(byte);
    }
  }
  return out;
}

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

// "", "Z", "+01:00", "-0330": seconds east of Greenwich.
std::optional<int> zone(std::string_view text) {
  if (text.empty() || text == "Z") return 0;
  if (text[0] != '+' && text[0] != '-') return std::nullopt;
  const auto hours = digits(text, 1, 2);
  const bool colon = text.size() == 6 && text[3] == ':';
  if (!colon && text.size() != 5) return std::nullopt;
  const auto minutes = digits(text, colon ? 4 : 3, 2);
  if (!hours || !minutes || *hours > 15 || *minutes > 59) return std::nullopt;
  const int seconds = *hours * 3600 + *minutes * 60;
  return text[0] == '-' ? -seconds : seconds;
}

}  // namespace

std::optional<core::WallTime> make_time(int year, int month, int day, int hour, int minute, int second,
                                        std::int64_t nanoseconds) {
  if (year < 1970 || year > 2200 || hour > 23 || minute > 59 || second > 60 || hour < 0 || minute < 0 || second < 0) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (month < 1 || day < 1 || !date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return core::WallTime{((days * 24 + hour) * 60 + minute) * 60 * std::int64_t{1'000'000'000} +
                        second * std::int64_t{1'000'000'000} + nanoseconds};
}

std::optional<core::WallTime> parse_iso_time(std::string_view text) {
  if (text.size() < 19 || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') || text[13] != ':' ||
      text[16] != ':') {
    return std::nullopt;
  }
  const auto year = digits(text, 0, 4);
  const auto month = digits(text, 5, 2);
  const auto day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2);
  const auto minute = digits(text, 14, 2);
  const auto second = digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  std::size_t at = 19;
  std::int64_t nanoseconds = 0;
  if (at < text.size() && (text[at] == '.' || text[at] == ',')) {
    std::int64_t unit = 100'000'000;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, unit /= 10)
      nanoseconds += (text[at] - '0') * unit;
  }
  const auto offset = zone(text.substr(at));
  const auto local = make_time(*year, *month, *day, *hour, *minute, *second, nanoseconds);
  if (!offset || !local) return std::nullopt;
  return core::WallTime{local->ns - *offset * std::int64_t{1'000'000'000}};
}

std::optional<int> month_number(std::string_view word) {
  while (!word.empty() && (word.back() == '.' || word.back() == ',')) word.remove_suffix(1);
  if (word.size() < 3 || word.size() > 24) return std::nullopt;
  const std::string small = lower(word);
  for (const Month& month : kMonths) {
    if (small.starts_with(month.start)) return month.number;
  }
  return std::nullopt;
}

}  // namespace antifreeze::readings
