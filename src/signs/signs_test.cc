#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "host/fake/temp_dir.h"
#include "signs/catalogue.h"
#include "signs/matcher.h"
#include "signs/parse.h"

namespace antifreeze::signs {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Catalogue& shipped() {
  static const Catalogue catalogue = [] {
    auto loaded = load_catalogue(AF_SOURCE_DIR "/knowledge");
    EXPECT_TRUE(loaded) << loaded.error().message();
    return loaded ? *loaded : Catalogue();
  }();
  return catalogue;
}

const Matcher& matcher() {
  static const Matcher built = *Matcher::build(shipped());
  return built;
}

bool matches(const Sign& sign, const std::string& line) {
  readings::LogEntry entry;
  entry.message = line;
  if (!sign.origins.empty()) entry.origin = sign.origins.front();
  std::vector<Match> found;
  matcher().match(entry, found);
  return std::any_of(found.begin(), found.end(), [&](const Match& m) { return shipped().signs[m.sign].id == sign.id; });
}

TEST(Knowledge, EverySampleDoesWhatItsSignSays) {
  ASSERT_GT(shipped().signs.size(), 100U);
  for (const Sign& sign : shipped().signs) {
    for (const std::string& line : sign.matching) EXPECT_TRUE(matches(sign, line)) << sign.id << ": " << line;
    for (const std::string& line : sign.not_matching) EXPECT_FALSE(matches(sign, line)) << sign.id << ": " << line;
  }
}

// The ids of docs/autopsy.md, which other programs build on.
const std::set<std::string> kEndings = {"clean",     "shutdown_hang",   "panic",        "oops_reset",
                                        "oom",       "memory_wedge",    "driver_wedge", "gpu_lost",
                                        "gpu_error", "memory_hardware", "pcie",         "nvlink",
                                        "storage",   "thermal",         "power",        "watchdog_reset",
                                        "lockup",    "userspace_kill",  "traceless",    "insufficient_evidence",
                                        "running"};

TEST(Knowledge, EndingsAreThoseOfTheContract) {
  for (const Sign& sign : shipped().signs) {
    EXPECT_TRUE(sign.ending.empty() || kEndings.contains(sign.ending)) << sign.id;
    EXPECT_TRUE(sign.role != Role::kCause || !sign.failure_class.empty()) << sign.id;
  }
  for (const auto& [code, xid] : shipped().xids) {
    EXPECT_TRUE(xid.ending.empty() || kEndings.contains(xid.ending)) << code;
    if (!xid.fix.empty()) {
      EXPECT_TRUE(std::any_of(shipped().fixes.begin(), shipped().fixes.end(),
                              [&, fix = xid.fix](const Fix& one) { return one.id == fix; }))
          << code << " " << xid.fix;
    }
  }
}

TEST(Knowledge, ParentsAndFixesNameKnownClasses) {
  std::set<std::string> classes = kEndings;
  for (const Sign& sign : shipped().signs) classes.insert(sign.failure_class);
  for (const auto& [code, xid] : shipped().xids) classes.insert(xid.failure_class);
  classes.insert({"kdump_incomplete", "volatile", "unclean"});
  for (const Sign& sign : shipped().signs) {
    for (const std::string& parent : sign.parents) EXPECT_TRUE(classes.contains(parent)) << sign.id << " " << parent;
  }
  for (const Fix& fix : shipped().fixes) {
    for (const std::string& helps : fix.failure_classes) EXPECT_TRUE(classes.contains(helps)) << fix.id << " " << helps;
  }
}

bool has_wide_letters(const std::string& text) {
  // Kana and Chinese characters begin with E3 to E9 in UTF-8.
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0xe3 && byte <= 0xe9;
  });
}

TEST(Knowledge, EveryFixIsWrittenInAllLanguages) {
  for (const Fix& fix : shipped().fixes) {
    EXPECT_TRUE(has_wide_letters(fix.text_ja)) << fix.id;
    EXPECT_TRUE(has_wide_letters(fix.text_zh)) << fix.id;
    EXPECT_FALSE(has_wide_letters(fix.text)) << fix.id;
    EXPECT_NE(fix.text_ja, fix.text_zh) << fix.id;
  }
}

TEST(Knowledge, TheTellingXidsSayWhatTheyMean) {
  EXPECT_EQ(shipped().xids.at(79).failure_class, "gpu_off_bus");
  EXPECT_EQ(shipped().xids.at(119).ending, "driver_wedge");
  EXPECT_EQ(shipped().xids.at(45).role, Role::kConsequence);
  EXPECT_EQ(shipped().xids.at(31).role, Role::kNote);
  EXPECT_GT(shipped().xids.size(), 150U);
}

TEST(Matcher, FieldsHaveTheirNames) {
  readings::LogEntry entry;
  entry.message = "NVRM: Xid (PCI:0000:02:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.";
  entry.origin = readings::LogOrigin::kKernel;
  std::vector<Match> found;
  matcher().match(entry, found);
  const auto xid =
      std::find_if(found.begin(), found.end(), [](const Match& m) { return shipped().signs[m.sign].id == "nv.xid"; });
  ASSERT_NE(xid, found.end());
  EXPECT_THAT(xid->fields, testing::Contains(testing::Pair("xid", "79")));
  EXPECT_THAT(xid->fields, testing::Contains(testing::Pair("bdf", "0000:02:00")));
}

TEST(Matcher, OnlyTheKernelIsBelievedAboutTheKernel) {
  readings::LogEntry entry;
  entry.message = "Kernel panic - not syncing: told by a chat";
  std::vector<Match> found;
  entry.origin = readings::LogOrigin::kService;
  matcher().match(entry, found);
  EXPECT_TRUE(found.empty());
  entry.origin = readings::LogOrigin::kUnknown;  // pasted text: nobody can tell
  matcher().match(entry, found);
  EXPECT_FALSE(found.empty());
}

std::string error_of(const std::string& text) {
  Catalogue into;
  const auto done = parse_signs(text, "dir/x.toml", into);
  return done ? "" : done.error().message();
}

const std::string kGood =
    "[[sign]]\nid = \"a\"\npattern = \"x\"\nrole = \"note\"\nseverity = \"info\"\nmeaning = \"m\"\n"
    "source = \"s\"\nmatching = [\"x\"]\nnot_matching = [\"y\"]\n";

TEST(Parse, ErrorsSayWhereAndWhatToDo) {
  EXPECT_EQ(error_of(kGood), "");
  EXPECT_THAT(error_of(kGood + "severty = \"info\"\n"),
              StartsWith("dir/x.toml:10:1: unknown key \"severty\"; did you mean \"severity\"?"));
  EXPECT_THAT(error_of("[[sign]]\nid = \"a\"\n"), HasSubstr("dir/x.toml:1:1: this entry has no \"pattern\"; add it"));
  EXPECT_THAT(error_of(kGood + "strength = 2\n"), HasSubstr(":10:12: strength is no number from 0 to 1"));
  EXPECT_THAT(error_of("[[sign]\n"), StartsWith("dir/x.toml:1:"));
  EXPECT_THAT(error_of("[[sin]]\n"), HasSubstr("this file holds [[sign]] entries only"));
  std::string bad = kGood;
  bad.replace(bad.find("\"x\""), 3, "\"(x\"");
  EXPECT_THAT(error_of(bad), HasSubstr("the pattern is no regular expression"));
  bad = kGood;
  bad.replace(bad.find("note"), 4, "nota");
  EXPECT_THAT(error_of(bad), HasSubstr("role \"nota\" is unknown; there are cause,"));
}

TEST(Parse, AFixNeedsNoTranslationButKnowsItsKeys) {
  const std::string fix = "[[fix]]\nid = \"a\"\nhelps = [\"oom\"]\ntext = \"t\"\nrisk = \"r\"\nsource = \"s\"\n";
  Catalogue into;
  ASSERT_TRUE(parse_fixes(fix, "dir/fixes.toml", into));
  EXPECT_EQ(into.fixes.front().text_ja, "");
  ASSERT_TRUE(parse_fixes(fix + "text_zh = \"文\"\n", "dir/fixes.toml", into));
  EXPECT_EQ(into.fixes.back().text_zh, "文");
  const auto wrong = parse_fixes(fix + "text_jp = \"文\"\n", "dir/fixes.toml", into);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(),
              HasSubstr("dir/fixes.toml:7:1: unknown key \"text_jp\"; did you mean \"text_ja\"?"));
}

TEST(Parse, ATermIsOneOfAKind) {
  const std::string term = "[[term]]\nid = \"oom\"\nkind = \"ending\"\nmeaning = \"m\"\n";
  Catalogue into;
  ASSERT_TRUE(parse_terms(term, "dir/terms.toml", into));
  const auto twice = parse_terms(term, "dir/terms.toml", into);
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message(), HasSubstr("dir/terms.toml:2:6: the ending \"oom\" stands twice"));
  const auto wrong = parse_terms("[[term]]\nid = \"a\"\nkind = \"end\"\nmeaning = \"m\"\n", "dir/terms.toml", into);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), HasSubstr("kind \"end\" is unknown; there are ending, cause, test, evidence"));
}

TEST(Load, ADirectoryWithoutKnowledgeIsOneClearLine) {
  const host::fake::TempDir empty;
  const auto loaded = load_catalogue(empty.path());
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message(), HasSubstr("reading the knowledge in " + empty.path()));
}

TEST(Load, TwinsAreRefused) {
  const host::fake::TempDir place;
  place.write("signs/a.toml", kGood);
  place.write("signs/b.toml", kGood);
  place.write("xid.toml", "");
  place.write("fixes.toml", "");
  place.write("terms.toml", "");
  const auto loaded = load_catalogue(place.path());
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message(), HasSubstr("the sign \"a\" stands twice"));
}

}  // namespace
}  // namespace antifreeze::signs
