#include "gate/record_text.h"

#include "core/crc32c.h"
#include "core/text.h"

namespace antifreeze::gate {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::string_view kChecksumKey = "crc32c=";
constexpr std::size_t kChecksumLine = kChecksumKey.size() + 8 + 1;

}  // namespace

std::string escape_value(std::string_view value, std::size_t max_bytes) {
  std::string out;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte != 0x7f && c != '%';
    if (out.size() + (plain ? 1 : 3) > max_bytes) break;
    if (plain) {
      out += c;
    } else {
      out += "%" + core::to_hex(byte, 2);
    }
  }
  return out;
}

std::string unescape_value(std::string_view value) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const auto byte =
        value[i] == '%' && i + 2 < value.size() ? core::parse_uint(value.substr(i + 1, 2), 16) : std::nullopt;
    if (byte) {
      out += static_cast<char>(*byte);
      i += 2;
    } else {
      out += value[i];
    }
  }
  return out;
}

void RecordWriter::add(std::string_view key, std::string_view value, std::size_t max_bytes) {
  out_ += key;
  out_ += '=';
  out_ += escape_value(value, max_bytes);
  out_ += '\n';
}

void RecordWriter::add(std::string_view key, std::int64_t value) { add(key, std::string_view(std::to_string(value))); }
void RecordWriter::add(std::string_view key, std::uint64_t value) { add(key, std::string_view(std::to_string(value))); }

std::string RecordWriter::finish() const {
  return out_ + std::string(kChecksumKey) + core::to_hex(core::crc32c(out_), 8) + "\n";
}

std::optional<std::int64_t> RecordReader::Field::number(std::int64_t low, std::int64_t high) const {
  const auto parsed = core::parse_int(value);
  return parsed && *parsed >= low && *parsed <= high ? parsed : std::nullopt;
}

core::Result<RecordReader> RecordReader::open(std::string_view file, std::string_view magic, std::size_t max_bytes) {
  const auto bad = [&](std::string_view what) { return Error(ErrorCode::kTampered, std::string(what)); };
  if (file.size() > max_bytes) return bad("is too large");
  if (!file.starts_with(magic) || file.substr(magic.size(), 1) != "\n") {
    return bad("does not start with '" + std::string(magic) + "'");
  }
  if (file.size() < magic.size() + 1 + kChecksumLine) return bad("is cut short");
  const auto body = file.substr(0, file.size() - kChecksumLine);
  const auto line = file.substr(body.size());
  const auto expected = std::string(kChecksumKey) + core::to_hex(core::crc32c(body), 8) + "\n";
  if (line != expected || !body.ends_with('\n')) return bad("has a wrong checksum");
  return RecordReader(body.substr(magic.size() + 1));
}

std::optional<RecordReader::Field> RecordReader::next() {
  while (const auto line = core::next_line(body_)) {
    const auto equals = line->find('=');
    if (equals != std::string_view::npos) return Field{line->substr(0, equals), line->substr(equals + 1)};
  }
  return std::nullopt;
}

}  // namespace antifreeze::gate
