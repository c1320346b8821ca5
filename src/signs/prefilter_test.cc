#include "signs/prefilter.h"

#include <gtest/gtest.h>

namespace antifreeze::signs {
namespace {

const Catalogue& catalogue() {
  static const Catalogue loaded = *load_catalogue(AF_SOURCE_DIR "/knowledge");
  return loaded;
}

TEST(Prefilter, MissesNoSampleOfAnySign) {
  const auto prefilter = Prefilter::build(catalogue(), "");
  ASSERT_TRUE(prefilter) << prefilter.error().message();
  const std::string quiet = "Nov 30 10:00:00 spark kernel: [   12.000000] eth0: Link is Up\n";
  for (const Sign& sign : catalogue().signs) {
    for (const std::string& sample : sign.matching) {
      if (sample.find('\n') != std::string::npos) continue;
      const std::string text = quiet + "Nov 30 10:00:01 spark kernel: [   13.000000] " + sample + "\r\n" + quiet;
      EXPECT_EQ(prefilter->first_candidate(text), quiet.size()) << sign.id << ": " << sample;
    }
  }
}

TEST(Prefilter, PassesOverOrdinaryLines) {
  const auto prefilter = Prefilter::build(catalogue(), "-- Reboot --");
  ASSERT_TRUE(prefilter);
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += "Nov 30 10:00:00 spark kernel: usb 1-1: new device number " + std::to_string(i) + "\n";
  EXPECT_EQ(prefilter->first_candidate(text), std::string_view::npos);
  EXPECT_EQ(prefilter->first_candidate(text + "-- Reboot --\n" + text), text.size());
  EXPECT_EQ(prefilter->first_candidate(""), std::string_view::npos);
}

TEST(Prefilter, AMatchDoesNotReachIntoTheNextLine) {
  Catalogue two;
  two.signs.resize(1);
  two.signs[0].pattern = "alpha[^x]*omega";
  const auto prefilter = Prefilter::build(two, "");
  ASSERT_TRUE(prefilter);
  EXPECT_EQ(prefilter->first_candidate("alpha\nomega\n"), std::string_view::npos);
  EXPECT_EQ(prefilter->first_candidate("one\nalpha omega\n"), 4U);
}

TEST(Prefilter, AnchorsGoAndClassesStay) {
  EXPECT_EQ(without_anchors("^a$"), "(?:)a(?:)");
  EXPECT_EQ(without_anchors(R"([^]$]\^\$[$^])"), R"([^]$]\^\$[$^])");
  EXPECT_EQ(without_anchors("^+"), "(?:)+");
  EXPECT_EQ(without_anchors("a\\"), "a\\");
}

}  // namespace
}  // namespace antifreeze::signs
