#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/autopsy_view.h"
#include "cli/autopsy_words.h"
#include "cli/width.h"

namespace antifreeze::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kSecond = 1'000'000'000;

autopsy::Report two_boots() {
  autopsy::Report report;
  autopsy::BootReport bad;
  bad.index = -1;
  bad.boot.first = core::WallTime{1'770'000'000 * kSecond};
  bad.boot.last_mono = core::MonoTime{7300 * kSecond};
  bad.boot.entries = 900;
  bad.verdict.ending = "gpu_lost";
  bad.verdict.confidence = 0.9;
  autopsy::Cause cause;
  cause.id = "gpu_off_bus";
  cause.score = 0.9;
  cause.fields["xid"] = "79";
  cause.supports = {"NVRM: Xid (PCI:0000:02:00): 79, GPU has fallen off the bus.",
                    "seen 2 times, 2 in the last two minutes"};
  bad.verdict.causes.push_back(cause);
  bad.verdict.notes.push_back({"edac_ce", "EDAC MC0: 1 CE (3 times)"});
  bad.verdict.fixes = {"f"};
  bad.verdict.unknown = {"hung tasks are reported after 120 s"};
  autopsy::BootReport now;
  now.boot.is_running = true;
  now.verdict.ending = "running";
  now.verdict.confidence = 1;
  report.boots = {bad, now};
  return report;
}

signs::Catalogue catalogue() {
  signs::Catalogue out;
  signs::Fix fix;
  fix.id = "f";
  fix.text = "Reseat the card.";
  fix.text_ja = "カードを挿し直す。";
  fix.commands = {"sudo lspci -vv"};
  out.fixes.push_back(fix);
  return out;
}

TEST(AutopsyTable, ColumnsStandBelowEachOtherInEveryLanguage) {
  const auto report = two_boots();
  for (const Lang lang : {Lang::kEn, Lang::kJa, Lang::kZh}) {
    const std::string table = autopsy_table(report, lang, 100);
    const std::string head = table.substr(0, table.find('\n'));
    const std::string row = table.substr(table.find('\n') + 1, table.find('\n', table.find('\n') + 1));
    EXPECT_EQ(display_width(head.substr(0, head.find(say(lang, "page.ended")))), 33U) << table;
    EXPECT_EQ(display_width(row.substr(0, row.find(ending_words(lang, "gpu_lost")))), 33U) << table;
    EXPECT_EQ(display_width(row.substr(0, row.find("gpu_off_bus"))), 66U) << table;
  }
}

TEST(AutopsyPage, SaysTheSameInJapaneseButLeavesLogLinesAndCommands) {
  const auto report = two_boots();
  const std::string page = autopsy_page(report.boots[0], catalogue(), Lang::kJa, 100);
  EXPECT_THAT(page, HasSubstr("終わり方：GPU がバスから脱落 [gpu_lost]、確度 90 %"));
  EXPECT_THAT(page, HasSubstr("2 回出現、うち最後の 2 分間に 2 回"));
  EXPECT_THAT(page, HasSubstr("カードを挿し直す。\n    $ sudo lspci -vv\n"));
  EXPECT_THAT(page, HasSubstr("NVRM: Xid (PCI:0000:02:00): 79, GPU has fallen off the bus."));
  EXPECT_THAT(page, HasSubstr("EDAC MC0: 1 CE (3 回)"));
  EXPECT_THAT(page, HasSubstr("稼働 2 時間"));
  EXPECT_THAT(page, Not(HasSubstr("What")));
  const std::string chinese = autopsy_page(report.boots[0], catalogue(), Lang::kZh, 100);
  EXPECT_THAT(chinese, HasSubstr("Reseat the card.")) << "no translation: English";
}

TEST(AutopsyWords, TimesBeforeTheEndComeFromTheKernelsClockFirst) {
  autopsy::Boot boot;
  boot.last_mono = core::MonoTime{100 * kSecond};
  boot.last = core::WallTime{5000 * kSecond};
  EXPECT_EQ(ns_before_end(boot, core::MonoTime{94 * kSecond}, core::WallTime{0}), 6 * kSecond);
  EXPECT_EQ(ns_before_end(boot, {}, core::WallTime{4000 * kSecond}), 1000 * kSecond);
  EXPECT_EQ(ns_before_end(boot, core::MonoTime{101 * kSecond}, {}), 0) << "the clock of another CPU";
  EXPECT_EQ(ns_before_end(boot, {}, {}), std::nullopt);
  EXPECT_EQ(before_words(Lang::kEn, 250'000'000), "0.250 s");
  EXPECT_EQ(before_words(Lang::kEn, 6'200'000'000), "6.2 s");
  EXPECT_EQ(before_words(Lang::kZh, 180 * kSecond), "3 分钟");
}

TEST(AutopsyWords, OnlyACountOfOursIsTranslated) {
  EXPECT_EQ(note_words(Lang::kJa, {"x", "a line (12 times)"}), "a line (12 回)");
  EXPECT_EQ(note_words(Lang::kJa, {"x", "a line (many times)"}), "a line (many times)");
  EXPECT_EQ(note_words(Lang::kJa, {"x", " ( times)"}), " ( times)");
}

}  // namespace
}  // namespace antifreeze::cli
