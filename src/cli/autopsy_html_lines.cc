// The last lines of a boot as a table.
#include <vector>

#include "cli/autopsy_html_parts.h"
#include "cli/autopsy_words.h"
#include "cli/html_text.h"

namespace antifreeze::cli {
namespace {

constexpr std::size_t kLastLines = 15;
constexpr std::size_t kMostLines = 60;
constexpr std::size_t kCompared = 240;  // a tail line is cut there

/// The last lines whatever they say, and before them those that warn.
std::vector<const autopsy::TailLine*> worth_showing(const std::vector<autopsy::TailLine>& tail,
                                                    const signs::Catalogue& catalogue) {
  std::vector<const autopsy::TailLine*> out;
  for (std::size_t i = tail.size(); i-- > 0 && out.size() < kMostLines;) {
    const std::string_view mark = mark_of(tail[i], catalogue);
    if (i + kLastLines >= tail.size() || mark == "error" || mark == "warning") out.push_back(&tail[i]);
  }
  return {out.rbegin(), out.rend()};
}

}  // namespace

bool is_first_event(const autopsy::BootReport& boot, const autopsy::TailLine& line) {
  if (boot.verdict.causes.empty() || !line.sign) return false;
  const autopsy::Hit& first = boot.verdict.causes.front().first_event;
  return line.mono == first.mono && line.wall == first.wall && !line.text.empty() &&
         line.text.substr(0, kCompared) == first.line.substr(0, kCompared);
}

std::string_view mark_of(const autopsy::TailLine& line, const signs::Catalogue& catalogue) {
  if (!line.sign || *line.sign >= catalogue.signs.size()) return "";
  switch (catalogue.signs[*line.sign].severity) {
    case signs::Severity::kCritical:
    case signs::Severity::kError:
      return "error";
    case signs::Severity::kWarning:
      return "warning";
    case signs::Severity::kInfo:
      break;
  }
  return "note";
}

std::string_view lane_of(const autopsy::TailLine& line) {
  switch (line.origin) {
    case readings::LogOrigin::kKernel:
      return "kernel";
    case readings::LogOrigin::kJournald:
    case readings::LogOrigin::kInit:
      return "system";
    case readings::LogOrigin::kService:
      return "service";
    case readings::LogOrigin::kUnknown:
      break;
  }
  return "other";
}

std::string boot_lines(const autopsy::BootReport& boot, const signs::Catalogue& catalogue, Lang lang) {
  const auto& tail = boot.boot.tail;
  std::string out = "<div class=\"wide\"><table class=\"lines\">\n<thead><tr>";
  for (const char* id : {"html.before_end", "html.source", "html.line"}) {
    out += html_element("th", say(lang, id), " scope=\"col\"");
  }
  out += "</tr></thead>\n<tbody>\n";
  bool told = false;
  for (const autopsy::TailLine* line : worth_showing(tail, catalogue)) {
    const bool first = !told && is_first_event(boot, *line);
    told = told || first;
    const std::string_view mark = first ? "first" : mark_of(*line, catalogue);
    const auto before = ns_before_end(boot.boot, line->mono, line->wall);
    out += mark.empty() ? "<tr>" : "<tr class=\"" + std::string(mark) + "\">";
    out += html_element("td", before ? before_words(lang, *before) : "");
    out += html_element(
        "td", line->identifier.empty() ? say(lang, "html.lane." + std::string(lane_of(*line))) : line->identifier);
    out += "<td>";
    if (first) out += html_element("b", say(lang, "html.first_event"), " class=\"flag\"") + " ";
    out += html_element("code", line->text) + "</td></tr>\n";
  }
  out += "</tbody>\n</table></div>\n";
  return out +
         html_element("p", say(lang, "html.lines_cut", {std::to_string(kLastLines), std::to_string(tail.size())}),
                      " class=\"quiet\"") +
         "\n";
}

}  // namespace antifreeze::cli
