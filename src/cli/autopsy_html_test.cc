#include "cli/autopsy_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/autopsy_html_parts.h"

namespace antifreeze::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::int64_t kSecond = 1'000'000'000;
const std::string kEvil = "x <script>alert(1)</script> \" onload='y' \x1b[31m \xE2\x80\xAE";

signs::Catalogue catalogue() {
  signs::Catalogue out;
  signs::Sign sign;
  sign.id = "nv.xid";
  sign.severity = signs::Severity::kCritical;
  out.signs.push_back(sign);
  signs::Fix fix;
  fix.id = "f";
  fix.text = "Reseat <it>.";
  fix.commands = {"echo 1 > /x && true"};
  out.fixes.push_back(fix);
  return out;
}

autopsy::TailLine tail_line(double at_s, std::string text, bool sign = false) {
  autopsy::TailLine line;
  line.mono = core::MonoTime{static_cast<std::int64_t>(at_s * 1e9)};
  line.origin = readings::LogOrigin::kKernel;
  line.text = std::move(text);
  if (sign) line.sign = 0;
  return line;
}

autopsy::BootReport bad_boot(int index) {
  autopsy::BootReport out;
  out.index = index;
  out.boot.boot_id = kEvil;
  out.boot.first = core::WallTime{1'770'000'000 * kSecond};
  out.boot.last_mono = core::MonoTime{100 * kSecond};
  out.boot.entries = 3;
  out.boot.tail = {tail_line(40, "before <b>"), tail_line(94, kEvil, true), tail_line(100, "last")};
  for (auto& line : out.boot.tail) line.identifier = kEvil;
  out.verdict.ending = "gpu_lost";
  out.verdict.confidence = 0.92;
  autopsy::Cause cause;
  cause.id = "gpu_off_bus";
  cause.score = 0.9;
  cause.fields = {{"xid", "79"}, {"fru_text", kEvil}};
  cause.first_event.mono = core::MonoTime{94 * kSecond};
  cause.first_event.line = kEvil;
  cause.supports = {kEvil, "seen 2 times, 2 in the last two minutes"};
  cause.contradicts = {kEvil};
  out.verdict.causes.push_back(cause);
  out.verdict.notes.push_back({kEvil, kEvil});
  out.verdict.tests.push_back({kEvil, autopsy::TestResult::kSupports, kEvil});
  out.verdict.unknown.push_back(kEvil);
  out.verdict.starting.push_back(kEvil);
  out.verdict.fixes.emplace_back("f");
  autopsy::Evidence evidence;
  evidence.id = kEvil;
  evidence.line = kEvil;
  out.boot.evidence.push_back(evidence);
  return out;
}

std::string page(const autopsy::Report& report, Lang lang = Lang::kEn, const autopsy::BootReport* only = nullptr) {
  return autopsy_html(report, only, catalogue(), {core::WallTime{1'770'000'000 * kSecond}, kEvil, lang});
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t times = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++times;
  return times;
}

TEST(AutopsyHtml, NothingFromLogsIsMarkup) {
  autopsy::Report report;
  report.boots.push_back(bad_boot(0));
  report.cannot_read.push_back(kEvil);
  for (const Lang lang : {Lang::kEn, Lang::kJa, Lang::kZh}) {
    const std::string html = page(report, lang);
    EXPECT_THAT(html, Not(HasSubstr("<script")));
    EXPECT_THAT(html, Not(HasSubstr("onload='")));
    EXPECT_THAT(html, Not(HasSubstr("\" onload")));
    EXPECT_THAT(html, Not(HasSubstr("\x1b")));
    EXPECT_THAT(html, Not(HasSubstr("\xE2\x80\xAE")));
    EXPECT_GT(count(html, "&lt;script&gt;alert(1)&lt;/script&gt; &quot; onload=&#39;y&#39;"), 12U)
        << "each place has it, escaped";
    EXPECT_THAT(html, HasSubstr("echo 1 &gt; /x &amp;&amp; true"));
  }
}

TEST(AutopsyHtml, NeedsNothingElse) {
  autopsy::Report report;
  report.boots.push_back(bad_boot(0));
  const std::string html = page(report);
  EXPECT_THAT(html, StartsWith(std::string(kReportMark) + "<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_THAT(html, HasSubstr("Content-Security-Policy\" content=\"default-src 'none';"));
  EXPECT_THAT(html, Not(HasSubstr("unsafe")));
  EXPECT_THAT(html, Not(HasSubstr("style=")));
  EXPECT_THAT(html, Not(HasSubstr("://")));
  EXPECT_EQ(count(html, "src="), 0U);
  EXPECT_EQ(count(html, "href="), count(html, "href=\"#b0\"") + count(html, "href=\"data:,\""))
      << "own anchors, no icon";
}

TEST(AutopsyHtml, ShowsEndingCauseEvidenceAndTheFirstAbnormalEvent) {
  autopsy::Report report;
  report.boots.push_back(bad_boot(0));
  const std::string html = page(report);
  EXPECT_THAT(html, HasSubstr("GPU fell off the bus <code>gpu_lost</code>"));
  EXPECT_THAT(html, HasSubstr("gpu_off_bus (Xid 79)"));
  EXPECT_THAT(html, HasSubstr("<li class=\"for\"><b>for</b> seen 2 times"));
  EXPECT_THAT(html, HasSubstr("<li class=\"against\"><b>against</b> <code>x &lt;script"));
  EXPECT_THAT(html, HasSubstr("first abnormal event, 6.0 s before the end"));
  EXPECT_EQ(count(html, "<tr class=\"first\">"), 1U);
  EXPECT_EQ(count(html, "<circle class=\"m-error\""), 1U);
  EXPECT_THAT(page(report, Lang::kZh), HasSubstr("首个异常事件 (结束前 6.0 秒)"));
}

TEST(AutopsyHtml, ExplainsTheNewestAndSaysWhatItLeavesOut) {
  autopsy::Report report;
  for (int i = 24; i >= 0; --i) report.boots.push_back(bad_boot(-i));
  report.boots[3].verdict.ending = "clean";
  const std::string html = page(report);
  EXPECT_EQ(count(html, "<section class=\"boot\""), kExplained);
  EXPECT_THAT(html, HasSubstr("The newest 20 of 24 are explained here; antifreeze autopsy -b N explains another one."));
  EXPECT_THAT(html, HasSubstr("id=\"b19\""));
  EXPECT_THAT(html, Not(HasSubstr("b20\"")));
  EXPECT_LT(html.find("id=\"b0\""), html.find("id=\"b1\"")) << "newest first";
  EXPECT_EQ(count(html, "<tr class=\"bad\">"), 24U);
  const std::string one = page(report, Lang::kEn, &report.boots[3]);
  EXPECT_EQ(count(one, "<section class=\"boot\""), 1U);
  EXPECT_THAT(one, HasSubstr("id=\"b21\"")) << "asked for, however it ended";
}

TEST(AutopsyHtml, ManyBootsAreCutInTheStripAlone) {
  autopsy::Report report;
  for (int i = 449; i >= 0; --i) {
    autopsy::BootReport boot;
    boot.index = -i;
    boot.verdict.ending = "clean";
    report.boots.push_back(boot);
  }
  const std::string html = page(report);
  EXPECT_EQ(count(html, "<rect class=\"g-good\""), 400U);
  EXPECT_THAT(html, HasSubstr("The newest 400 of 450 boots are shown."));
  EXPECT_EQ(count(html, "<tr><td>"), 450U);
  EXPECT_THAT(html, HasSubstr("None of these boots ended badly."));
}

TEST(AutopsyHtml, BootsWithoutTimesOrLinesArePossible) {
  autopsy::Report report;
  EXPECT_THAT(page(report), HasSubstr("no boots found"));
  autopsy::BootReport boot = bad_boot(0);
  boot.boot.last_mono.reset();
  boot.boot.first.reset();
  report.boots.push_back(boot);
  EXPECT_THAT(page(report), HasSubstr("These lines carry no times"));
  report.boots[0].boot.tail.clear();
  report.boots[0].verdict.causes.clear();
  EXPECT_THAT(page(report), HasSubstr("No cause stands out."));
}

TEST(AutopsyHtml, AnEventBeforeTheWindowStandsAtItsEdge) {
  autopsy::BootReport boot = bad_boot(0);
  boot.boot.last_mono = core::MonoTime{4000 * kSecond};
  boot.boot.tail = {tail_line(3990, "a"), tail_line(4000, "b")};
  EXPECT_THAT(boot_timeline(boot, catalogue(), Lang::kEn), HasSubstr("◀ first abnormal event, 65 min before the end"));
}

}  // namespace
}  // namespace antifreeze::cli
