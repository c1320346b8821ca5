#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "cli/autopsy_view.h"
#include "cli/autopsy_words.h"
#include "cli/width.h"

namespace antifreeze::cli {
namespace {

using autopsy::BootReport;

constexpr std::size_t kTailLines = 15;

std::string tail_stamp(const autopsy::TailLine& line) {
  std::array<char, 32> buffer{};
  if (line.mono) {
    std::snprintf(buffer.data(), buffer.size(), "[%10.3f]", static_cast<double>(line.mono->ns) / 1e9);
    return buffer.data();
  }
  return line.wall ? core::format_rfc3339(*line.wall).substr(11, 12) : "            ";
}

/// The page of one boot, part by part.
class PageText {
 public:
  PageText(const BootReport& boot, const signs::Catalogue& catalogue, Lang lang, std::size_t width)
      : boot_(boot), verdict_(boot.verdict), catalogue_(catalogue), lang_(lang), width_(width) {}

  std::string text() {
    head();
    causes();
    found();
    tests();
    if (ended_badly(boot_)) tail();
    fixes();
    if (!verdict_.notes.empty()) heading("page.also");
    for (const autopsy::Note& note : verdict_.notes) line(note.id + ": " + note_words(lang_, note));
    if (verdict_.ending != "clean") unknown();
    return std::move(out_);
  }

 private:
  void heading(std::string_view id) { out_ += "\n" + say(lang_, id) + "\n"; }
  void line(const std::string& text, std::string_view indent = "  ") { out_ += wrap(text, width_, indent); }

  void head() {
    const std::string id = boot_.boot.boot_id.empty() ? "" : "  " + boot_.boot.boot_id;
    out_ += say(lang_, "page.boot_title", {index_words(boot_)}) + id + "\n";
    line(say(lang_, boot_.boot.first ? "page.life" : "page.life_unknown",
             {started_words(lang_, boot_), up_words(lang_, boot_), std::to_string(boot_.boot.entries)}));
    line(say(lang_, "page.how_ended",
             {ending_words(lang_, verdict_.ending), verdict_.ending, percent(verdict_.confidence)}));
    for (const std::string& name : verdict_.starting) {
      line(say(lang_, "page.starting", {sentence_or_line(lang_, "start", name)}));
    }
  }

  void causes() {
    if (!verdict_.causes.empty()) heading("page.causes");
    std::size_t number = 0;
    for (const autopsy::Cause& cause : verdict_.causes) {
      out_ += "  " + std::to_string(++number) + ". " + cause_words(cause) + "  " + percent(cause.score) + "\n";
      for (const std::string& one : cause.supports) line("+ " + sentence_or_line(lang_, "cause", one), "     ");
      for (const std::string& one : cause.contradicts) line("- " + sentence_or_line(lang_, "cause", one), "     ");
    }
  }

  void found() {
    if (!boot_.boot.evidence.empty()) heading("page.found");
    for (const autopsy::Evidence& evidence : boot_.boot.evidence) {
      if (evidence.source == autopsy::Source::kGateLog) continue;
      line(evidence.id + ": " + sentence_or_line(lang_, "found", evidence.line));
    }
  }

  void tests() {
    if (!verdict_.tests.empty()) heading("page.tests");
    for (const autopsy::SplitTest& test : verdict_.tests) {
      line(test.id + ": " + result_words(lang_, test.result) + ": " + sentence_or_line(lang_, "test", test.text));
    }
  }

  void tail() {
    const auto& lines = boot_.boot.tail;
    if (lines.empty()) return;
    heading("page.tail");
    for (std::size_t i = lines.size() > kTailLines ? lines.size() - kTailLines : 0; i < lines.size(); ++i) {
      const autopsy::TailLine& one = lines[i];
      const std::string who = one.identifier.empty() ? "" : one.identifier + ": ";
      out_ += cut((one.sign ? "> " : "  ") + tail_stamp(one) + " " + who + one.text, width_) + "\n";
    }
  }

  void fixes() {
    if (!verdict_.fixes.empty()) heading("page.fixes");
    for (const std::string& id : verdict_.fixes) {
      for (const signs::Fix& fix : catalogue_.fixes) {
        if (fix.id != id) continue;
        line(fix_text(lang_, fix));
        for (const std::string& command : fix.commands) out_ += "    $ " + command + "\n";
      }
    }
  }

  void unknown() {
    if (!verdict_.unknown.empty()) heading("page.not_known");
    for (const std::string& one : verdict_.unknown) line(sentence_or_line(lang_, "unknown", one));
  }

  const BootReport& boot_;
  const autopsy::Verdict& verdict_;
  const signs::Catalogue& catalogue_;
  const Lang lang_;
  const std::size_t width_;
  std::string out_;
};

}  // namespace

std::string autopsy_table(const autopsy::Report& report, Lang lang, int columns) {
  const auto row = [&](std::string_view boot, std::string_view started, std::string_view up, std::string_view ended,
                       std::string_view sure, std::string_view cause) {
    std::string line = pad(boot, 6) + pad(started, 18) + pad(up, 9) + pad(ended, 26) + pad(sure, 7);
    line.append(cause);
    while (line.ends_with(' ')) line.pop_back();
    return cut(line, static_cast<std::size_t>(std::max(columns, 60))) + "\n";
  };
  std::string out = row(say(lang, "page.boot"), say(lang, "page.started"), say(lang, "page.up"),
                        say(lang, "page.ended"), say(lang, "page.sure"), say(lang, "page.cause"));
  for (const BootReport& boot : report.boots) {
    out += row(index_words(boot), started_words(lang, boot), up_words(lang, boot),
               ending_words(lang, boot.verdict.ending), percent(boot.verdict.confidence), table_cause(lang, boot));
  }
  return out;
}

std::string autopsy_page(const BootReport& boot, const signs::Catalogue& catalogue, Lang lang, int columns) {
  return PageText(boot, catalogue, lang, static_cast<std::size_t>(std::clamp(columns, 60, 120))).text();
}

}  // namespace antifreeze::cli
