#include "cli/autopsy_html.h"

#include <algorithm>
#include <vector>

#include "cli/autopsy_html_parts.h"
#include "cli/autopsy_words.h"
#include "cli/html_text.h"

namespace antifreeze::cli {
namespace {

using autopsy::BootReport;

/// The boots to explain, newest first.
std::vector<const BootReport*> to_explain(const autopsy::Report& report, const BootReport* only) {
  if (only != nullptr) return {only};
  std::vector<const BootReport*> out;
  for (auto it = report.boots.rbegin(); it != report.boots.rend() && out.size() < kExplained; ++it) {
    if (ended_badly(*it)) out.push_back(&*it);
  }
  return out;
}

std::string head(Lang lang) {
  // style-src by hash and nothing else: whatever a log line might smuggle in, it neither runs nor loads nor styles.
  std::string out(kReportMark);
  out += "<!DOCTYPE html>\n<html lang=\"" + std::string(lang_tag(lang)) + "\">\n<head>\n<meta charset=\"utf-8\">\n";
  out +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'sha256-" +
      std::string(page_style_hash()) + "'; base-uri 'none'; form-action 'none'\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n";
  out += "<meta name=\"generator\" content=\"antifreeze " ANTIFREEZE_VERSION "\">\n";
  // Without an icon of its own a browser asks the server for one.
  out += "<link rel=\"icon\" href=\"data:,\">\n";
  out += html_element("title", "antifreeze: " + say(lang, "html.title")) + "\n";
  out += "<style>" + std::string(page_style()) + "</style>\n</head>\n";
  return out;
}

std::string made(const signs::Catalogue& catalogue, const PageFacts& facts) {
  std::string when = core::format_rfc3339(facts.made);
  if (when.size() > 16) when = when.substr(0, 10) + " " + when.substr(11, 5);
  const std::string from = facts.read_from.empty() ? say(facts.lang, "html.this_machine") : facts.read_from;
  return say(facts.lang, "html.made", {ANTIFREEZE_VERSION, when, catalogue.version, from});
}

}  // namespace

std::string boot_anchor(const BootReport& boot) { return "b" + std::to_string(boot.index > 0 ? 0 : -boot.index); }

std::string autopsy_html(const autopsy::Report& report, const BootReport* only, const signs::Catalogue& catalogue,
                         const PageFacts& facts) {
  const Lang lang = facts.lang;
  const auto bad = static_cast<std::size_t>(std::count_if(report.boots.begin(), report.boots.end(), ended_badly));
  const auto explain = to_explain(report, only);
  const std::set<const BootReport*> explained(explain.begin(), explain.end());
  std::string out = head(lang) + "<body>\n<header>\n" + html_element("h1", say(lang, "html.title")) + "\n";
  const std::string count = report.boots.empty()
                                ? say(lang, "page.no_boots")
                                : say(lang, report.boots.size() == 1 ? "page.one_boot_count" : "page.boot_count",
                                      {std::to_string(report.boots.size()), std::to_string(bad)});
  out += html_element("p", count, " class=\"count\"") + "\n";
  out += html_element("p", made(catalogue, facts), " class=\"quiet\"") + "\n</header>\n<main>\n";
  if (!report.cannot_read.empty()) {
    out += "<section>\n" + html_element("h2", say(lang, "html.cannot_read")) + "\n<ul>\n";
    for (const std::string& line : report.cannot_read) {
      out += html_element("li", sentence_or_line(lang, "read", line)) + "\n";
    }
    out += "</ul>\n</section>\n";
  }
  if (!report.boots.empty()) {
    out += "<section>\n" + html_element("h2", say(lang, "html.boots")) + "\n";
    out += boots_strip(report, explained, lang) + boots_table(report, explained, lang) + "</section>\n";
    if (only == nullptr) {
      out += html_element("h2", say(lang, "html.explained")) + "\n";
      if (bad == 0) out += html_element("p", say(lang, "html.none_bad")) + "\n";
      if (bad > explain.size()) {
        out +=
            html_element("p", say(lang, "html.explained_cut",
                                  {std::to_string(explain.size()), std::to_string(bad), "antifreeze autopsy -b N"})) +
            "\n";
      }
    }
    for (const BootReport* boot : explain) out += boot_section(*boot, catalogue, lang);
  }
  out += "</main>\n</body>\n</html>\n";
  return out;
}

}  // namespace antifreeze::cli
