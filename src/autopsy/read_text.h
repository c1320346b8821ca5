// Text logs as boots.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "autopsy/autopsy_types.h"
#include "core/result.h"
#include "signs/catalogue.h"
#include "signs/matcher.h"

namespace antifreeze::autopsy {

struct TextBoots {
  std::vector<Boot>
      boots;              ///< oldest first; an empty one in front when the first carries records about the boot before
  bool filtered = false;  ///< every line shares a word
};

/// Every line is read until a log has shown what kind it is. After that, lines in which no sign can be are passed over.
inline constexpr std::uint64_t kReadAtFirst = 5000;

/// Reads the files one behind the other ("-": standard input). `read_at_first` lines of each are read in any case.
core::Result<TextBoots> read_text(const std::vector<std::string>& paths, int year, const signs::Catalogue& catalogue,
                                  const signs::Matcher& matcher, const std::function<void(double)>& progress,
                                  std::uint64_t read_at_first = kReadAtFirst);

}  // namespace antifreeze::autopsy
