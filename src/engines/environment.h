// The environment of a command as its launchers and shells change it on the way.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/facts.h"
#include "engines/word.h"

namespace antifreeze::engines {

/// The caller's environment with changes on top. Must not outlive the view.
class Environment {
 public:
  explicit Environment(const EnvView& base) : base_(&base) {}

  /// The value of `name`; an uncertain word when it is set to something unknown; nullopt when it is not set.
  [[nodiscard]] std::optional<Word> get(std::string_view name) const;
  /// The same, without values that are unknown.
  [[nodiscard]] std::optional<std::string> known(std::string_view name) const;

  void set(std::string_view name, Word value);
  void unset(std::string_view name);
  /// Forgets everything, as `env -i` does.
  void clear();

 private:
  struct Change {
    std::string name;
    std::optional<Word> value;
  };
  void change(std::string_view name, std::optional<Word> value);

  const EnvView* base_;
  bool empty_base_ = false;
  std::vector<Change> changes_;
};

/// Splits "NAME=value" where NAME is a shell identifier; 0 when it is none, else the position of '='.
std::size_t assignment_at(std::string_view text);

}  // namespace antifreeze::engines
