// A verb's surroundings in a test: what it prints is kept, its clock stands still, its environment is what is set here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "cli/dispatch.h"
#include "host/clock.h"

namespace antifreeze::cli::fake {

class Captured {
 public:
  explicit Captured(const host::Clock& clock) : clock_(clock) {}

  /// Runs `words` as if they stood on the command line.
  int run(const std::vector<std::string>& words) {
    out.clear();
    err.clear();
    Context context{clock_, [this](std::string_view text) { out += text; },
                    [this](std::string_view text) { err += text; }};
    context.lookup = look_up;
    context.lookup_context = this;
    context.columns = columns;
    const std::vector<std::string_view> args(words.begin(), words.end());
    return dispatch(context, args);
  }

  std::string out;
  std::string err;
  std::map<std::string, std::string, std::less<>> environment;
  int columns = 80;

 private:
  static std::optional<std::string> look_up(std::string_view name, const void* self) {
    const auto& variables = static_cast<const Captured*>(self)->environment;
    const auto it = variables.find(name);
    if (it == variables.end()) return std::nullopt;
    return it->second;
  }
  const host::Clock& clock_;
};

}  // namespace antifreeze::cli::fake
