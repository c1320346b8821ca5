// The small text records of the gate directory (b-SERVICE, pause, safe-boot): a magic line, key=value lines, and last a
// checksum over all of it. Containers can write there, so a reader must cope with anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace antifreeze::gate {

/// Escapes controls, DEL and '%' as %XX, so that a value cannot forge a line and comes back as it was; cut to
/// `max_bytes` of output.
std::string escape_value(std::string_view value, std::size_t max_bytes);
/// The way back. A '%' without two hex digits stays as it is.
std::string unescape_value(std::string_view value);

/// Writes one record.
class RecordWriter {
 public:
  explicit RecordWriter(std::string_view magic) : out_(std::string(magic) + "\n") {}
  void add(std::string_view key, std::string_view value, std::size_t max_bytes = 256);
  void add(std::string_view key, std::int64_t value);
  void add(std::string_view key, std::uint64_t value);
  /// The record with its checksum line.
  [[nodiscard]] std::string finish() const;

 private:
  std::string out_;
};

/// Reads one record line by line.
class RecordReader {
 public:
  struct Field {
    std::string_view key;
    std::string_view value;  ///< still escaped
    [[nodiscard]] std::optional<std::int64_t> number(std::int64_t low, std::int64_t high) const;
    [[nodiscard]] std::string text() const { return unescape_value(value); }
  };

  /// Checks size, magic and checksum. Error kTampered, naming what is wrong. `file` must outlive the reader.
  static core::Result<RecordReader> open(std::string_view file, std::string_view magic, std::size_t max_bytes);

  /// The next field; nullopt at the end. Lines without '=' are left out.
  std::optional<Field> next();

 private:
  explicit RecordReader(std::string_view body) : body_(body) {}
  std::string_view body_;
};

}  // namespace antifreeze::gate
