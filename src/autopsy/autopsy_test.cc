// Every captured boot and every text log in testdata, through everything, against its label.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "autopsy/autopsy_run.h"
#include "autopsy/fake/score.h"
#include "host/fake/temp_dir.h"
#include "journal/fake/unpacked_root.h"

namespace antifreeze::autopsy {
namespace {

namespace fs = std::filesystem;

const signs::Catalogue& catalogue() {
  static const signs::Catalogue loaded = *signs::load_catalogue(AF_SOURCE_DIR "/knowledge");
  return loaded;
}

Report run(const Places& places) {
  auto report = run_autopsy(places, catalogue(), {});
  EXPECT_TRUE(report) << (report ? "" : report.error().message());
  return report ? std::move(*report) : Report();
}

nlohmann::json label(const fs::path& path) {
  std::ifstream in(path);
  return nlohmann::json::parse(in);
}

const BootReport* find_boot(const Report& report, const std::string& id) {
  for (const BootReport& one : report.boots) {
    if (one.boot.boot_id == id) return &one;
  }
  return nullptr;
}

TEST(Autopsy, CapturedBootsEndAsTheirLabelsSay) {
  fake::Score score;
  for (const auto& item : fs::directory_iterator(fs::path(AF_SOURCE_DIR) / "testdata/boots")) {
    if (!fs::exists(item.path() / "label.json")) continue;
    const host::fake::TempDir root;
    journal::fake::unpack_root(item.path() / "fs", root);
    Places places;
    places.root = root.path();
    places.root_given = true;
    const Report report = run(places);
    const nlohmann::json wanted = label(item.path() / "label.json");
    const std::string name = item.path().filename().string();
    std::vector<nlohmann::json> boots =
        wanted.contains("boots") ? wanted["boots"].get<std::vector<nlohmann::json>>() : std::vector{wanted};
    for (const nlohmann::json& one : boots) {
      const BootReport* got = find_boot(report, one.value("boot_id", ""));
      if (one.value("capture_kernel", false)) {
        EXPECT_TRUE(got != nullptr && got->boot.is_capture_kernel) << name;
        continue;
      }
      score.add(name, one, got);
    }
  }
  score.print("captured boots");
  ASSERT_GE(score.all, 12);
  EXPECT_EQ(score.found, score.all);
  EXPECT_GE(score.right * 100, score.all * 95);
  EXPECT_GE(score.cause_right * 100, score.cause_all * 90);
  EXPECT_EQ(score.healthy_failed, 0);
}

TEST(Autopsy, TextLogsEndAsTheirLabelsSay) {
  fake::Score score;
  for (const auto& item : fs::directory_iterator(fs::path(AF_SOURCE_DIR) / "testdata/logs")) {
    const nlohmann::json wanted = label(item.path() / "label.json");
    Places places;
    places.logs = {(item.path() / "log.txt").string()};
    places.year = 2026;
    const Report report = run(places);
    const int index = wanted["index"];
    const auto got = std::find_if(report.boots.begin(), report.boots.end(),
                                  [&](const BootReport& one) { return one.index == index; });
    score.add(item.path().filename().string(), wanted, got == report.boots.end() ? nullptr : &*got);
  }
  score.print("text logs");
  ASSERT_GE(score.all - score.healthy, 25);
  ASSERT_GE(score.healthy, 12);
  EXPECT_EQ(score.found, score.all);
  EXPECT_GE(score.right * 100, score.all * 95);
  EXPECT_GE(score.cause_right * 100, score.cause_all * 90);
  EXPECT_EQ(score.healthy_failed, 0);
}

}  // namespace
}  // namespace antifreeze::autopsy
