// Every captured boot and every text log, through everything, against its label.
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

struct Score {
  int right = 0, all = 0, cause_right = 0, cause_all = 0, found = 0;
  std::map<std::pair<std::string, std::string>, int> confusion;
  std::vector<std::string> wrong;

  void add(const std::string& name, const nlohmann::json& wanted, const BootReport* got) {
    ++all;
    const std::string ending = wanted["ending_id"];
    if (got == nullptr) {
      wrong.push_back(name + ": no such boot");
      return;
    }
    ++found;
    ++confusion[{ending, got->verdict.ending}];
    const auto accept = wanted.value("accept", std::vector<std::string>{ending});
    if (std::find(accept.begin(), accept.end(), got->verdict.ending) != accept.end()) {
      ++right;
    } else {
      wrong.push_back(name + ": " + got->verdict.ending + " in place of " + ending);
    }
    const auto causes = wanted.value("causes", std::vector<std::string>());
    if (causes.empty()) return;
    ++cause_all;
    const std::string first = got->verdict.causes.empty() ? "none" : got->verdict.causes.front().id;
    if (std::find(causes.begin(), causes.end(), first) != causes.end()) {
      ++cause_right;
    } else {
      wrong.push_back(name + ": cause " + first + " in place of " + causes.front());
    }
  }

  void print(const char* what) const {
    std::printf("%s: ending right %d of %d, first cause right %d of %d\n", what, right, all, cause_right, cause_all);
    for (const auto& [pair, count] : confusion) {
      std::printf("  %-24s -> %-24s %d%s\n", pair.first.c_str(), pair.second.c_str(), count,
                  pair.first == pair.second ? "" : "   <--");
    }
    for (const std::string& line : wrong) std::printf("  wrong: %s\n", line.c_str());
  }
};

const BootReport* find_boot(const Report& report, const std::string& id) {
  for (const BootReport& one : report.boots) {
    if (one.boot.boot_id == id) return &one;
  }
  return nullptr;
}

TEST(Autopsy, CapturedBootsEndAsTheirLabelsSay) {
  Score score;
  int healthy_failed = 0;
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
      if (one["ending_id"] == "clean" && got != nullptr && got->verdict.ending != "clean" &&
          got->verdict.ending != "running")
        ++healthy_failed;
    }
  }
  score.print("captured boots");
  ASSERT_GE(score.all, 12);
  EXPECT_EQ(score.found, score.all);
  EXPECT_GE(score.right * 100, score.all * 95);
  EXPECT_GE(score.cause_right * 100, score.cause_all * 90);
  EXPECT_EQ(healthy_failed, 0);
}

}  // namespace
}  // namespace antifreeze::autopsy
