// The overview: a strip of bars, its key, and the table of boots.
#include <algorithm>
#include <array>

#include "cli/autopsy_html_parts.h"
#include "cli/autopsy_words.h"
#include "cli/html_text.h"

namespace antifreeze::cli {
namespace {

using autopsy::BootReport;
using Explained = std::set<const BootReport*>;

constexpr std::size_t kMostBars = 400;
constexpr std::size_t kBarsInRow = 80;
constexpr std::size_t kLeastInRow = 20;  // two boots should not be two walls
constexpr std::size_t kWidth = 960;
constexpr std::size_t kRow = 44;

std::string number(double value) {
  std::string text = std::to_string(value);  // the C locale's point: nothing here sets another one
  return text.substr(0, text.find('.') + 2);
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + html_text(value) + "\"";
}

std::string key(const autopsy::Report& report, Lang lang) {
  constexpr std::array<std::string_view, 9> kGroups = {"good",     "running",  "memory",    "gpu",    "kernel",
                                                       "hardware", "software", "traceless", "unknown"};
  std::string out = "<ul class=\"key\">\n";
  for (const std::string_view group : kGroups) {
    const bool there = std::any_of(report.boots.begin(), report.boots.end(),
                                   [&](const BootReport& boot) { return ending_group(boot.verdict.ending) == group; });
    if (!there) continue;
    out += "<li><span class=\"dot g-" + std::string(group) + "\"></span> " +
           html_text(say(lang, "html.group." + std::string(group))) + "</li>\n";
  }
  return out + "</ul>\n";
}

/// A bar: a boot that ended badly is tall, so that colour is not all there is to tell it by.
std::string bar(const BootReport& boot, double x, double y, double width, bool link, Lang lang) {
  const bool bad = ended_badly(boot);
  const double height = bad ? 36 : 16;
  const std::string what = say(lang, "page.boot_title", {index_words(boot)}) + ", " + started_words(lang, boot) + ", " +
                           ending_words(lang, boot.verdict.ending);
  std::string out = "<rect class=\"g-" + std::string(ending_group(boot.verdict.ending)) + "\"";
  out += attribute("x", number(x)) + attribute("y", number(y + 40 - height)) + attribute("width", number(width)) +
         attribute("height", number(height)) + " rx=\"2\"><title>" + html_text(what) + "</title></rect>";
  return link ? "<a href=\"#" + boot_anchor(boot) + "\">" + out + "</a>\n" : out + "\n";
}

}  // namespace

std::string boots_strip(const autopsy::Report& report, const Explained& explained, Lang lang) {
  const std::size_t shown = std::min(report.boots.size(), kMostBars);
  const std::size_t in_row = std::clamp(shown, kLeastInRow, kBarsInRow);
  const std::size_t rows = (shown + in_row - 1) / in_row;
  const double step = static_cast<double>(kWidth) / static_cast<double>(in_row);
  const std::string note = say(lang, "html.strip");
  std::string out = html_element("p", note, " class=\"quiet\"") + "\n";
  if (shown < report.boots.size()) {
    out += html_element("p", say(lang, "html.strip_cut", {std::to_string(shown), std::to_string(report.boots.size())}),
                        " class=\"quiet\"") +
           "\n";
  }
  out += "<svg class=\"strip\" role=\"img\" viewBox=\"0 0 " + std::to_string(kWidth) + " " +
         std::to_string(rows * kRow) + "\"" + attribute("aria-label", note) + ">\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const BootReport& boot = report.boots[report.boots.size() - shown + i];
    const std::size_t top = (i / in_row) * kRow;
    out += bar(boot, static_cast<double>(i % in_row) * step + 1, static_cast<double>(top), step - 2,
               explained.contains(&boot), lang);
  }
  return out + "</svg>\n" + key(report, lang);
}

std::string boots_table(const autopsy::Report& report, const Explained& explained, Lang lang) {
  std::string out = "<div class=\"wide\"><table class=\"boots\">\n<thead><tr>";
  for (const char* id : {"page.boot", "page.started", "page.up", "page.ended", "page.sure", "page.cause"}) {
    out += html_element("th", say(lang, id), " scope=\"col\"");
  }
  out += "</tr></thead>\n<tbody>\n";
  for (auto it = report.boots.rbegin(); it != report.boots.rend(); ++it) {
    const BootReport& boot = *it;
    const std::string index = html_text(index_words(boot));
    out += ended_badly(boot) ? "<tr class=\"bad\"><td>" : "<tr><td>";
    out += explained.contains(&boot) ? "<a href=\"#" + boot_anchor(boot) + "\">" + index + "</a>" : index;
    out += "</td>" + html_element("td", started_words(lang, boot)) + html_element("td", up_words(lang, boot));
    out += "<td><span class=\"dot g-" + std::string(ending_group(boot.verdict.ending)) + "\"></span> " +
           html_text(ending_words(lang, boot.verdict.ending)) + "</td>";
    out += html_element("td", percent(boot.verdict.confidence), attribute("title", say(lang, "html.sure_why")));
    out += html_element("td", table_cause(lang, boot)) + "</tr>\n";
  }
  return out + "</tbody>\n</table></div>\n";
}

}  // namespace antifreeze::cli
