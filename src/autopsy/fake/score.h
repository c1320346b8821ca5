// How often the verdicts agree with the labels, and where they do not.
#pragma once

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "autopsy/autopsy_run.h"

namespace antifreeze::autopsy::fake {

/// A table of endings wanted and found, and of first causes. A label has `ending_id`, and may have `accept` (every
/// ending that counts as right) and `causes` (any of them counts as right; none: not asked).
struct Score {
  int right = 0, all = 0, cause_right = 0, cause_all = 0, found = 0;
  int healthy = 0, healthy_failed = 0;  ///< boots that ended well, and those of them that got the verdict of a failure
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
    if (ending == "clean") {
      ++healthy;
      if (got->verdict.ending != "clean" && got->verdict.ending != "running") ++healthy_failed;
    }
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

}  // namespace antifreeze::autopsy::fake
