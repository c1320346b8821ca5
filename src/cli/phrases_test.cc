#include "cli/phrases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "autopsy/autopsy_run.h"
#include "cli/autopsy_words.h"
#include "cli/width.h"
#include "host/fake/temp_dir.h"
#include "journal/fake/unpacked_root.h"
#include "signs/catalogue.h"

namespace antifreeze::cli {
namespace {

namespace fs = std::filesystem;

/// The text between placeholders, and the placeholders themselves, "{0}", in the order in which they stand.
struct Parts {
  std::vector<std::string> pieces = {""};
  std::vector<std::string> holes;
};

Parts parts(std::string_view text) {
  Parts out;
  while (!text.empty()) {
    if (text.size() >= 3 && text[0] == '{' && text[1] >= '0' && text[1] <= '9' && text[2] == '}') {
      out.holes.emplace_back(text.substr(0, 3));
      out.pieces.emplace_back();
      text.remove_prefix(3);
    } else {
      out.pieces.back() += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

std::multiset<std::string> holes(std::string_view text) {
  const Parts all = parts(text);
  return {all.holes.begin(), all.holes.end()};
}

std::vector<Phrase> all() {
  std::vector<Phrase> out;
  for (const auto table : phrases()) out.insert(out.end(), table.begin(), table.end());
  return out;
}

bool ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// All of a folder's sources, with literals that follow each other joined as the compiler does it.
std::string sources(const std::string& folder) {
  std::string out;
  for (const auto& item : fs::directory_iterator(fs::path(AF_SOURCE_DIR) / "src" / folder)) {
    const std::string name = item.path().filename().string();
    if (!name.ends_with(".cc") || name.ends_with("_test.cc")) continue;
    std::stringstream text;
    text << std::ifstream(item.path()).rdbuf();
    out += text.str();
  }
  std::string joined;
  for (std::size_t at = 0; at < out.size(); ++at) {
    const std::size_t next = out[at] == '"' ? out.find_first_not_of(" \n", at + 1) : std::string::npos;
    const bool line_ends = next != std::string::npos && out.substr(at, next - at).find('\n') != std::string::npos;
    if (line_ends && out[next] == '"') {
      at = next;
    } else {
      joined += out[at];
    }
  }
  return joined;
}

TEST(Phrases, EachHasAllLanguagesWithTheSamePlaceholders) {
  ASSERT_GT(all().size(), 150U);
  std::set<std::string_view> ids;
  for (const Phrase& phrase : all()) {
    EXPECT_TRUE(ids.insert(phrase.id).second) << phrase.id << " stands twice";
    EXPECT_TRUE(ascii(phrase.en) && !phrase.en.empty()) << phrase.id;
    EXPECT_FALSE(phrase.ja.empty() || phrase.zh.empty()) << phrase.id;
    EXPECT_EQ(holes(phrase.en), holes(phrase.ja)) << phrase.id;
    EXPECT_EQ(holes(phrase.en), holes(phrase.zh)) << phrase.id;
    // A translation that was forgotten is the English text.
    EXPECT_TRUE(!ascii(phrase.ja) && !ascii(phrase.zh)) << phrase.id;
  }
}

TEST(Phrases, EveryIdThatTheProgramSaysIsThere) {
  const std::string text = sources("cli");
  std::set<std::string> used;
  for (const std::string_view group : {"\"page.", "\"html.", "\"ending."}) {
    for (std::size_t at = text.find(group); at != std::string::npos; at = text.find(group, at + 1)) {
      const std::string id = text.substr(at + 1, text.find('"', at + 1) - at - 1);
      if (!id.ends_with('.')) used.insert(id);  // "html.lane.": the rest is put behind it
    }
  }
  EXPECT_GT(used.size(), 50U);
  std::set<std::string> known;
  for (const Phrase& phrase : all()) known.emplace(phrase.id);
  for (const std::string& id : used) EXPECT_TRUE(known.contains(id)) << id;
}

TEST(Phrases, PlaceholdersAreFilledInTheLanguagesOwnOrder) {
  EXPECT_EQ(say(Lang::kEn, "page.boot_count", {"14", "6"}), "14 boots, 6 ended badly.");
  EXPECT_EQ(say(Lang::kJa, "page.boot_count", {"14", "6"}), "起動 14 回、うち異常終了 6 回。");
  EXPECT_EQ(say(Lang::kZh, "page.times", {"a {1} b", "3"}), "a {1} b (3 次)")
      << "what is filled in is not filled again";
  EXPECT_EQ(say(Lang::kEn, "no.such"), "no.such");
}

TEST(Phrases, TheTablesColumnsHoldTheirWords) {
  for (const Phrase& phrase : all()) {
    if (!phrase.id.starts_with("ending.")) continue;
    for (const Lang lang : {Lang::kEn, Lang::kJa, Lang::kZh})
      EXPECT_LE(display_width(phrase.in(lang)), 25U) << phrase.id;
  }
  for (const Lang lang : {Lang::kEn, Lang::kJa, Lang::kZh}) {
    EXPECT_LE(display_width(say(lang, "page.boot")), 5U);
    EXPECT_LE(display_width(say(lang, "page.started")), 17U);
    EXPECT_LE(display_width(say(lang, "page.up")), 8U);
    EXPECT_LE(display_width(say(lang, "page.sure")), 6U);
  }
}

TEST(Sentences, AreTakenApartAndSaidInTheLanguage) {
  EXPECT_EQ(sentence(Lang::kJa, "cause", "seen 12 times, 3 in the last two minutes"),
            "12 回出現、うち最後の 2 分間に 3 回");
  EXPECT_EQ(sentence(Lang::kEn, "cause", "follows from xid"), "follows from xid");
  EXPECT_EQ(sentence(Lang::kZh, "start", "chat (the gate had it starting)"), "chat (在启动闸中的状态为 starting)");
  // What is filled in may be a sentence of the same group.
  EXPECT_EQ(
      sentence(Lang::kJa, "read", "/var/log/wtmp: not ours to read (try with sudo); who was starting is not known"),
      "/var/log/wtmp: 読む権限がない (sudo で試すこと)。何が起動中だったかは分からない");
}

TEST(Sentences, LogLinesAreNone) {
  EXPECT_EQ(sentence(Lang::kJa, "cause", "NVRM: Xid (PCI:0000:02:00): 79, GPU has fallen off the bus."), std::nullopt);
  EXPECT_EQ(sentence(Lang::kJa, "unknown", "seen 12 times, 3 in the last two minutes"), std::nullopt)
      << "another group";
  EXPECT_EQ(sentence(Lang::kJa, "cause", "seen  times, "), std::nullopt);
  EXPECT_EQ(sentence(Lang::kJa, "cause", ""), std::nullopt);
  EXPECT_EQ(sentence_or_line(Lang::kJa, "cause", "x"), "x");
  const std::string hostile = "seen " + std::string(200000, '{') + " times, ";
  EXPECT_EQ(sentence(Lang::kZh, "cause", hostile), std::nullopt);
}

// Autopsy's wording may change: then the table has to follow, or its translation is never found.
TEST(Sentences, StandWordForWordInTheSourcesThatSayThem) {
  const std::string text = sources("autopsy") + sources("journal");
  for (const Phrase& phrase : all()) {
    if (phrase.id.starts_with("ending.") || phrase.id.starts_with("page.") || phrase.id.starts_with("html.")) continue;
    for (std::string piece : parts(phrase.en).pieces) {
      // "s" and blanks of plurals and joins are put together from smaller pieces.
      piece.erase(0, piece.find_first_not_of(" :;"));
      while (piece.ends_with(' ') || piece.ends_with(';')) piece.pop_back();
      if (piece.starts_with("other boot")) piece = "other boot";
      if (piece.size() < 4) continue;
      EXPECT_NE(text.find(piece), std::string::npos) << phrase.id << ": \"" << piece << "\"";
    }
  }
}

// The other way round, on what autopsy says about the captured boots: all of it is either a log line or translated.
TEST(Sentences, NothingThatAutopsySaysAboutCapturedBootsIsLeftInEnglish) {
  const auto catalogue = signs::load_catalogue(AF_SOURCE_DIR "/knowledge");
  ASSERT_TRUE(catalogue);
  std::size_t said = 0;
  for (const auto& item : fs::directory_iterator(fs::path(AF_SOURCE_DIR) / "testdata/boots")) {
    const host::fake::TempDir root;
    journal::fake::unpack_root(item.path() / "fs", root);
    autopsy::Places places;
    places.root = root.path();
    places.root_given = true;
    const auto report = autopsy::run_autopsy(places, *catalogue, {});
    ASSERT_TRUE(report) << item.path();
    for (const autopsy::BootReport& boot : report->boots) {
      std::set<std::string> lines(boot.boot.blind.begin(), boot.boot.blind.end());
      for (const auto& tally : boot.boot.tallies) {
        for (const auto* hits : {&tally.first, &tally.last}) {
          for (const autopsy::Hit& hit : *hits) lines.insert(hit.line);
        }
      }
      for (const autopsy::Evidence& evidence : boot.boot.evidence) lines.insert(evidence.line);
      const auto check = [&](std::string_view group, const std::string& text) {
        if (lines.contains(text)) return;
        ++said;
        const auto told = sentence(Lang::kJa, group, text);
        EXPECT_TRUE(told && *told != text) << item.path().filename() << " " << group << ": " << text;
      };
      for (const autopsy::Cause& cause : boot.verdict.causes) {
        for (const auto& text : cause.supports) check("cause", text);
        for (const auto& text : cause.contradicts) check("cause", text);
      }
      for (const auto& test : boot.verdict.tests) check("test", test.text);
      for (const auto& text : boot.verdict.unknown) check("unknown", text);
    }
    for (const std::string& text : report->cannot_read) {
      ++said;
      EXPECT_TRUE(sentence(Lang::kZh, "read", text)) << text;
    }
  }
  EXPECT_GT(said, 50U);
}

}  // namespace
}  // namespace antifreeze::cli
