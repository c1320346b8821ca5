// Changes to a JSON text that leave every other byte as it is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_tree.h"

namespace antifreeze::core {

/// `text` in quotes, as a JSON string.
std::string json_quoted(std::string_view text);

/// Collects changes and makes them all at once. Changes must not overlap.
class JsonEdit {
 public:
  /// `tree` must outlive the edit.
  explicit JsonEdit(const JsonTree& tree) : tree_(tree) {}

  /// Puts `raw` in place of a value.
  void replace(JsonNode node, std::string_view raw);
  /// Puts elements in front of an element.
  void insert_before(JsonNode element, std::span<const std::string> raws);
  /// Puts elements at the end of an array.
  void append(JsonNode array, std::span<const std::string> raws);
  /// Puts a member at the end of an object, laid out as the members in front of it are; in an empty object on a line of
  /// its own, unless the whole text is one line. `raw` may have lines: they are indented as `indented` would.
  void add_member(JsonNode object, std::string_view key, std::string_view raw);
  /// Takes a member out, with the comma and the white space that came with it. Undoes add_member exactly when the
  /// object had members before.
  void remove_member(JsonNode object, JsonNode member);

  /// The new text.
  [[nodiscard]] std::string apply() const;

  /// The white space at the beginning of the line on which `at` stands.
  [[nodiscard]] std::string indent_at(std::size_t at) const;
  /// One step of indentation as this text has it; four blanks when it has none.
  [[nodiscard]] std::string indent_step() const;
  /// Whether the text is one line, apart from its end.
  [[nodiscard]] bool one_line() const;

 private:
  struct Change {
    std::size_t at;
    std::size_t length;
    std::string text;
  };
  const JsonTree& tree_;
  std::vector<Change> changes_;
};

}  // namespace antifreeze::core
