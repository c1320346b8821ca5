// The section of one boot: how it ended, the last minutes, evidence, what to do, what is unknown.
#include "cli/autopsy_html_parts.h"
#include "cli/autopsy_words.h"
#include "cli/html_text.h"

namespace antifreeze::cli {
namespace {

using autopsy::BootReport;

class Section {
 public:
  Section(const BootReport& boot, const signs::Catalogue& catalogue, Lang lang)
      : boot_(boot), verdict_(boot.verdict), catalogue_(catalogue), lang_(lang) {}

  std::string html() {
    out_ = "<section class=\"boot\" id=\"" + boot_anchor(boot_) + "\">\n";
    head();
    causes();
    if (!boot_.boot.tail.empty()) {
      heading("html.timeline");
      out_ += boot_timeline(boot_, catalogue_, lang_) + boot_lines(boot_, catalogue_, lang_);
    }
    found();
    tests();
    fixes();
    notes();
    unknown();
    return out_ + "</section>\n";
  }

 private:
  void heading(std::string_view id) { out_ += html_element("h4", say(lang_, id)) + "\n"; }

  /// Our own sentence as prose, a log line as what it is.
  [[nodiscard]] std::string item(std::string_view group, std::string_view text) const {
    if (const auto told = sentence(lang_, group, text)) return html_text(*told);
    return html_element("code", text);
  }

  void head() {
    out_ +=
        "<h3><span class=\"dot g-" + std::string(ending_group(verdict_.ending)) + "\"></span> " +
        html_text(say(lang_, "page.boot_title", {index_words(boot_)}) + ": " + ending_words(lang_, verdict_.ending)) +
        " <code>" + html_text(verdict_.ending) + "</code> <span class=\"sure\" title=\"" +
        html_text(say(lang_, "html.sure_why")) + "\">" +
        html_text(say(lang_, "html.sure", {percent(verdict_.confidence)})) + "</span></h3>\n";
    out_ += html_element("p",
                         say(lang_, boot_.boot.first ? "page.life" : "page.life_unknown",
                             {started_words(lang_, boot_), up_words(lang_, boot_), std::to_string(boot_.boot.entries)}),
                         " class=\"quiet\"") +
            "\n";
    if (!boot_.boot.boot_id.empty()) {
      out_ += "<p class=\"quiet\">" + html_element("code", boot_.boot.boot_id) + "</p>\n";
    }
    if (verdict_.starting.empty()) return;
    std::string names;
    for (const std::string& name : verdict_.starting) {
      names += (names.empty() ? "" : ", ") + sentence_or_line(lang_, "start", name);
    }
    out_ += html_element("p", say(lang_, "page.starting", {names})) + "\n";
  }

  void evidence(std::string_view what, std::string_view mark, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      out_ += "<li class=\"" + std::string(mark) + "\"><b>" + html_text(say(lang_, what)) + "</b> " +
              item("cause", line) + "</li>\n";
    }
  }

  void causes() {
    if (verdict_.causes.empty()) {
      if (ended_badly(boot_)) out_ += html_element("p", say(lang_, "html.no_cause")) + "\n";
      return;
    }
    heading("page.causes");
    out_ += "<ol class=\"causes\">\n";
    for (const autopsy::Cause& cause : verdict_.causes) {
      out_ += "<li>" + html_element("strong", cause_words(cause)) + " " + percent(cause.score) +
              " <svg class=\"meter\" viewBox=\"0 0 100 8\" aria-hidden=\"true\"><rect class=\"rail\" width=\"100\" "
              "height=\"8\" rx=\"4\"></rect><rect class=\"fill\" width=\"" +
              std::to_string(static_cast<int>(cause.score * 100)) + "\" height=\"8\" rx=\"4\"></rect></svg>\n<ul>\n";
      evidence("html.for", "for", cause.supports);
      evidence("html.against", "against", cause.contradicts);
      out_ += "</ul></li>\n";
    }
    out_ += "</ol>\n";
  }

  void found() {
    std::string lines;
    for (const autopsy::Evidence& evidence : boot_.boot.evidence) {
      if (evidence.source == autopsy::Source::kGateLog) continue;
      lines += "<li>" + html_element("b", evidence.id) + " " + item("found", evidence.line) + "</li>\n";
    }
    list("page.found", lines);
  }

  void tests() {
    std::string lines;
    for (const autopsy::SplitTest& test : verdict_.tests) {
      lines += "<li>" + html_element("b", test.id) + " " + html_element("i", result_words(lang_, test.result)) + ": " +
               html_text(sentence_or_line(lang_, "test", test.text)) + "</li>\n";
    }
    list("page.tests", lines);
  }

  void fixes() {
    std::string lines;
    for (const std::string& id : verdict_.fixes) {
      for (const signs::Fix& fix : catalogue_.fixes) {
        if (fix.id != id) continue;
        lines += "<li>" + html_text(fix_text(lang_, fix));
        if (!fix.commands.empty()) lines += "\n<pre>";
        for (const std::string& command : fix.commands) lines += html_text(command) + "\n";
        lines += fix.commands.empty() ? "</li>\n" : "</pre></li>\n";
      }
    }
    list("page.fixes", lines);
  }

  void notes() {
    std::string lines;
    for (const autopsy::Note& note : verdict_.notes) {
      lines += "<li>" + html_element("b", note.id) + " " + html_element("code", note_words(lang_, note)) + "</li>\n";
    }
    list("page.also", lines);
  }

  void unknown() {
    if (verdict_.ending == "clean") return;
    std::string lines;
    for (const std::string& line : verdict_.unknown) lines += "<li>" + item("unknown", line) + "</li>\n";
    list("page.not_known", lines);
  }

  void list(std::string_view title, const std::string& lines) {
    if (lines.empty()) return;
    heading(title);
    out_ += "<ul>\n" + lines + "</ul>\n";
  }

  const BootReport& boot_;
  const autopsy::Verdict& verdict_;
  const signs::Catalogue& catalogue_;
  const Lang lang_;
  std::string out_;
};

}  // namespace

std::string boot_section(const BootReport& boot, const signs::Catalogue& catalogue, Lang lang) {
  return Section(boot, catalogue, lang).html();
}

}  // namespace antifreeze::cli
