// Where a readiness probe goes and what it asks. Numeric addresses and "localhost" only: resolving names would need the
// C library's name service, which a static program does not have, and could block.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace antifreeze::host {

/// One socket address.
struct ProbeAddress {
  enum class Family { kIpv4, kIpv6, kUnix };
  Family family = Family::kIpv4;
  std::array<std::uint8_t, 16> ip{};  ///< network order; IPv4 in the first four bytes
  std::uint16_t port = 0;
  std::string path;  ///< of a unix socket; '@' in front of an abstract name

  friend bool operator==(const ProbeAddress&, const ProbeAddress&) = default;
};

/// "127.0.0.1:8000", "[::1]:8000", "unix:/run/x.sock".
std::string to_string(const ProbeAddress& address);

/// What to ask, and where. `addresses` are tried in order while nobody listens: localhost is 127.0.0.1, then ::1.
struct ProbeTarget {
  std::vector<ProbeAddress> addresses;
  bool http = false;  ///< false: to be accepted is answer enough
  std::string method = "GET";
  std::string path = "/";     ///< begins with '/', no blanks or controls
  std::string host;           ///< value of the Host field
  std::string json_body;      ///< sent with its length and type when not empty
  bool whole_answer = false;  ///< done only when the answer has ended (a load that answers when it is over)

  /// What was asked, for people: "http://127.0.0.1:8000/health", "tcp:127.0.0.1:8000".
  [[nodiscard]] std::string describe() const;
};

/// Reads "http://127.0.0.1:8000/health", "http://[::1]:8000/", "http://localhost:8000" and, for a server on a unix
/// socket, "http://unix:/run/x.sock:/health". 0.0.0.0 and [::] mean this machine. Anything else is kInvalid with
/// advice.
core::Result<ProbeTarget> parse_http_target(std::string_view url);

/// Reads "8000", "127.0.0.1:8000", "[::1]:8000" or "localhost:8000".
core::Result<ProbeTarget> parse_tcp_target(std::string_view text);

/// Reads a unix socket's path, "/run/x.sock" or "@abstract"; at most 107 bytes, as bind(2) allows.
core::Result<ProbeTarget> parse_unix_target(std::string_view path);

/// An HTTP question to a target of parse_tcp_target or parse_unix_target. kInvalid when `path` cannot be a path.
core::Result<ProbeTarget> with_http(ProbeTarget target, std::string_view path);

}  // namespace antifreeze::host
