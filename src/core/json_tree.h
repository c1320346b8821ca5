// JSON as text with an index over it: what is not changed stays byte for byte as its owner wrote it. An object model
// (nlohmann's) forgets white space and the digits of numbers; this one also fits into a static program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace antifreeze::core {

enum class JsonKind : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

/// A value in a JsonTree.
using JsonNode = std::uint32_t;

/// One JSON text and where each of its values stands. Time and memory are linear in the text.
class JsonTree {
 public:
  /// More text (8 MiB) or deeper nesting is an error.
  static constexpr std::size_t kMaxText = std::size_t{8} << 20U;
  static constexpr std::size_t kMaxDepth = 256;

  /// Strict RFC 8259, but for a byte order mark in front, which is kept. kInvalid names line and column.
  static Result<JsonTree> parse(std::string text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] JsonNode root() const { return 0; }
  [[nodiscard]] JsonKind kind(JsonNode node) const { return entries_[node].kind; }
  /// The value's own bytes and where they begin and end in text().
  [[nodiscard]] std::string_view raw(JsonNode node) const;
  [[nodiscard]] std::size_t begin(JsonNode node) const { return entries_[node].begin; }
  [[nodiscard]] std::size_t end(JsonNode node) const { return entries_[node].end; }
  /// Where the key of a member begins, its quote included; begin() for what has no key.
  [[nodiscard]] std::size_t key_begin(JsonNode node) const;
  /// The bytes between a member's key and its value: a colon and white space.
  [[nodiscard]] std::string_view separator(JsonNode member) const;

  /// Members and elements in their order.
  [[nodiscard]] std::optional<JsonNode> first(JsonNode node) const;
  [[nodiscard]] std::optional<JsonNode> next(JsonNode node) const;
  [[nodiscard]] std::vector<JsonNode> children(JsonNode node) const;

  /// The member called `key` of an object. nullopt when there is none, when `object` is no object, and when the key is
  /// there twice: then nobody can tell which one counts.
  [[nodiscard]] std::optional<JsonNode> member(JsonNode object, std::string_view key) const;
  /// Whether a key of the object equals `key` when case is ignored, as Go's decoder reads it, and more than one does,
  /// or only one of another case.
  [[nodiscard]] bool is_ambiguous(JsonNode object, std::string_view key) const;
  /// member() of member() ….
  [[nodiscard]] std::optional<JsonNode> at(std::initializer_list<std::string_view> path) const;

  /// Decoded. nullopt for what is no string.
  [[nodiscard]] std::optional<std::string> string(JsonNode node) const;
  /// Decoded key of a member, "" for elements.
  [[nodiscard]] std::string key(JsonNode node) const;
  /// Strings among the elements of an array, decoded; nullopt when one of them is no string or `array` is no array.
  [[nodiscard]] std::optional<std::vector<std::string>> strings(JsonNode array) const;

 private:
  friend class JsonReader;
  struct Entry {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t key_begin = 0;
    std::uint32_t key_end = 0;  ///< 0: no key
    JsonNode first = 0;         ///< 0: none
    JsonNode next = 0;          ///< 0: none
    JsonKind kind = JsonKind::kNull;
  };

  std::string text_;
  std::vector<Entry> entries_;
};

}  // namespace antifreeze::core
