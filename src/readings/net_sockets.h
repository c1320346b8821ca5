// /proc/net/tcp, tcp6 and unix: which sockets listen, and which inode identifies them in /proc/PID/fd.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace antifreeze::readings {

/// TCP states as /proc/net/tcp prints them (include/net/tcp_states.h); only this one matters to us.
inline constexpr std::uint8_t kTcpListen = 0x0A;

/// One line of /proc/net/tcp or tcp6. Addresses are in network order; an IPv4 one fills the first four bytes.
struct InetSocket {
  bool v6 = false;
  std::array<std::uint8_t, 16> address{};
  std::uint16_t port = 0;
  std::uint8_t state = 0;
  std::uint32_t uid = 0;
  std::uint64_t inode = 0;  ///< 0 for sockets that no process holds any more (TIME_WAIT)

  friend bool operator==(const InetSocket&, const InetSocket&) = default;
};

/// The local end of every socket in the text of /proc/net/tcp or /proc/net/tcp6 (told apart by the address's width).
/// Lines that are not of that form are skipped.
std::vector<InetSocket> parse_net_tcp(std::string_view text);

/// Bound to every address: 0.0.0.0, :: or ::ffff:0.0.0.0.
bool is_any_address(const InetSocket& socket);
/// Reachable from this machine only: 127.0.0.0/8, ::1 or the IPv4 form mapped into IPv6.
bool is_loopback(const InetSocket& socket);

/// Inodes of the sockets in state LISTEN on `port`, in the order of the text.
std::vector<std::uint64_t> listening_inodes(std::string_view text, std::uint16_t port);

/// One line of /proc/net/unix.
struct UnixSocket {
  std::uint64_t inode = 0;
  std::uint32_t flags = 0;
  std::uint32_t type = 0;   ///< 1 stream, 2 datagram, 5 seqpacket
  std::uint32_t state = 0;  ///< 1 unconnected, 2 connecting, 3 connected, 4 disconnecting
  bool listening = false;
  std::string path;  ///< empty when unnamed; abstract names start with '@'

  friend bool operator==(const UnixSocket&, const UnixSocket&) = default;
};

/// Every socket of /proc/net/unix. The kernel prints paths raw, so a line feed in a path can forge a whole line:
/// believe an inode only when a process of ours holds it.
std::vector<UnixSocket> parse_net_unix(std::string_view text);

/// Inodes of listening unix sockets bound to exactly `path` ("@name" for abstract ones).
std::vector<std::uint64_t> listening_inodes(std::string_view net_unix_text, std::string_view path);

}  // namespace antifreeze::readings
