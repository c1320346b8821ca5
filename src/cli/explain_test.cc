// Whatever a verdict can print is explained.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "cli/explain_view.h"
#include "cli/phrases.h"
#include "signs/catalogue.h"

namespace antifreeze::cli {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const signs::Catalogue& catalogue() {
  static const signs::Catalogue loaded = *signs::load_catalogue(AF_SOURCE_DIR "/knowledge");
  return loaded;
}

bool has(const std::string& id, const std::string& kind) {
  const auto found = explain(id, catalogue());
  return std::ranges::any_of(found, [&](const Explanation& one) { return one.kind == kind; });
}

TEST(Explain, KnowsEveryEndingAndCauseThatTheKnowledgeNames) {
  for (const signs::Sign& sign : catalogue().signs) {
    EXPECT_TRUE(has(sign.id, "sign")) << sign.id;
    if (!sign.failure_class.empty()) {
      EXPECT_TRUE(has(sign.failure_class, "cause")) << sign.id << " " << sign.failure_class;
    }
    if (!sign.ending.empty()) {
      EXPECT_TRUE(has(sign.ending, "ending")) << sign.id << " " << sign.ending;
    }
  }
  for (const auto& [code, xid] : catalogue().xids) {
    EXPECT_TRUE(has("xid:" + std::to_string(code), "xid"));
    EXPECT_TRUE(has(xid.failure_class, "cause")) << code;
    if (!xid.ending.empty()) {
      EXPECT_TRUE(has(xid.ending, "ending")) << code;
    }
  }
  for (const signs::Fix& fix : catalogue().fixes) EXPECT_TRUE(has(fix.id, "fix")) << fix.id;
  for (const auto& group : phrases()) {
    for (const Phrase& phrase : group) {
      if (phrase.id.starts_with("ending.")) {
        EXPECT_TRUE(has(std::string(phrase.id.substr(7)), "ending")) << phrase.id;
      }
    }
  }
}

// What the code itself writes into a verdict: ids between quotes in the sources.
TEST(Explain, KnowsEveryIdThatTheAutopsyWrites) {
  std::string sources;
  for (const auto& item : std::filesystem::directory_iterator(AF_SOURCE_DIR "/src/autopsy")) {
    const std::string name = item.path().filename().string();
    if (!name.ends_with(".cc") || name.ends_with("_test.cc")) continue;
    std::ifstream in(item.path());
    sources += std::string(std::istreambuf_iterator<char>(in), {});
  }
  const std::string settles = "settle\\(\"([a-z_]+)\"";
  const std::string written =
      "(?:evidence\\.id = |torn\\.id = |cause\\.id = |plain\\.id = |bert\\.id = |: )\"([a-z_]+(?:\\.[a-z_]+)?)\";";
  const std::string tests = "\\{\"([a-z_]+)\", TestResult::";
  std::set<std::string> ids;
  for (const std::string& what : {settles, written, tests}) {
    re2::StringPiece rest(sources);
    std::string id;
    while (RE2::FindAndConsume(&rest, what, &id)) ids.insert(id);
  }
  EXPECT_THAT(ids, testing::IsSupersetOf({"traceless", "heat", "near_timer", "watchdog.bootstatus", "panic"}));
  for (const std::string& id : ids) EXPECT_THAT(explain(id, catalogue()), Not(IsEmpty())) << id;
}

TEST(Explain, AnIdCanStandForSeveralThings) {
  EXPECT_THAT(explain("oom", catalogue()), SizeIs(2));
  EXPECT_TRUE(has("power", "ending") && has("power", "cause") && has("power", "test"));
}

TEST(Explain, AnXidIsFoundHoweverItIsWritten) {
  for (const char* id : {"79", "xid79", "xid:79", "Xid 79", "XID 79"}) {
    EXPECT_THAT(explain(id, catalogue()), Contains(Field(&Explanation::id, "xid:79"))) << id;
  }
  for (const char* id : {"xid", "xid:", "99999", "-1", "79x", ""}) {
    EXPECT_THAT(explain(id, catalogue()), Not(Contains(Field(&Explanation::kind, "xid")))) << id;
  }
}

TEST(Explain, SaysWhatToDo) {
  const std::string text = explain_text(explain("gpu_off_bus", catalogue()), 80);
  EXPECT_THAT(text, HasSubstr("What to do"));
  EXPECT_THAT(text, HasSubstr("$ "));
  EXPECT_THAT(text, HasSubstr("xid:79"));
}

}  // namespace
}  // namespace antifreeze::cli
