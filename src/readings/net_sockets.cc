#include "readings/net_sockets.h"

#include <algorithm>
#include <limits>

#include "core/text.h"

namespace antifreeze::readings {
namespace {

// __SO_ACCEPTCON in the Flags column of /proc/net/unix: listen() was called (include/uapi/linux/net.h).
constexpr std::uint32_t kAcceptsConnections = 1U << 16;

constexpr std::array<std::uint8_t, 12> kMappedV4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

template <typename T>
bool take_uint(std::string_view text, int base, T& out) {
  const auto value = core::parse_uint(text, base);
  if (!value || *value > std::numeric_limits<T>::max()) return false;
  out = static_cast<T>(*value);
  return true;
}

// "0100007F:1F40". The kernel prints each 32-bit group as a number in its own byte order; every machine we run on is
// little-endian, so the lowest byte of a group comes first on the wire.
bool take_endpoint(std::string_view text, InetSocket& out) {
  const auto colon = text.find(':');
  if (colon != 8 && colon != 32) return false;
  out.v6 = colon == 32;
  for (std::size_t group = 0; group * 8 < colon; ++group) {
    std::uint32_t value = 0;
    if (!take_uint(text.substr(group * 8, 8), 16, value)) return false;
    for (std::size_t byte = 0; byte < 4; ++byte, value >>= 8) {
      out.address[group * 4 + byte] = static_cast<std::uint8_t>(value);
    }
  }
  return take_uint(text.substr(colon + 1), 16, out.port);
}

bool is_mapped_v4(const InetSocket& socket) {
  return socket.v6 && std::equal(kMappedV4.begin(), kMappedV4.end(), socket.address.begin());
}

// Takes the next blank-separated word off `line`, leaving what follows it untouched.
std::string_view take_word(std::string_view& line) {
  const auto begin = std::min(line.find_first_not_of(' '), line.size());
  const auto end = std::min(line.find(' ', begin), line.size());
  const auto word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

}  // namespace

std::vector<InetSocket> parse_net_tcp(std::string_view text) {
  // sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode …
  constexpr std::size_t kLocal = 1, kState = 3, kUid = 7, kInode = 9;
  std::vector<InetSocket> out;
  while (const auto line = core::next_line(text)) {
    const auto words = core::split_words(*line);
    if (words.size() <= kInode) continue;
    InetSocket socket;
    if (!take_endpoint(words[kLocal], socket)) continue;
    if (!take_uint(words[kState], 16, socket.state) || !take_uint(words[kUid], 10, socket.uid)) continue;
    if (!take_uint(words[kInode], 10, socket.inode)) continue;
    out.push_back(socket);
  }
  return out;
}

bool is_any_address(const InetSocket& socket) {
  const auto begin = socket.address.begin() + (is_mapped_v4(socket) ? kMappedV4.size() : 0);
  return std::all_of(begin, socket.address.end(), [](std::uint8_t byte) { return byte == 0; });
}

bool is_loopback(const InetSocket& socket) {
  if (!socket.v6) return socket.address[0] == 127;
  if (is_mapped_v4(socket)) return socket.address[kMappedV4.size()] == 127;
  return socket.address.back() == 1 &&
         std::all_of(socket.address.begin(), socket.address.end() - 1, [](std::uint8_t byte) { return byte == 0; });
}

std::vector<std::uint64_t> listening_inodes(std::string_view text, std::uint16_t port) {
  std::vector<std::uint64_t> out;
  for (const InetSocket& socket : parse_net_tcp(text)) {
    if (socket.state == kTcpListen && socket.port == port) out.push_back(socket.inode);
  }
  return out;
}

std::vector<UnixSocket> parse_net_unix(std::string_view text) {
  std::vector<UnixSocket> out;
  while (auto line = core::next_line(text)) {
    UnixSocket socket;
    std::uint32_t ignored = 0;
    if (!take_word(*line).ends_with(':')) continue;           // Num (a kernel address)
    if (!take_uint(take_word(*line), 16, ignored)) continue;  // RefCount
    if (!take_uint(take_word(*line), 16, ignored)) continue;  // Protocol
    if (!take_uint(take_word(*line), 16, socket.flags)) continue;
    if (!take_uint(take_word(*line), 16, socket.type)) continue;
    if (!take_uint(take_word(*line), 16, socket.state)) continue;
    if (!take_uint(take_word(*line), 10, socket.inode)) continue;
    if (!line->empty()) line->remove_prefix(1);  // exactly one blank: further ones belong to the path
    socket.path = *line;
    socket.listening = (socket.flags & kAcceptsConnections) != 0;
    out.push_back(std::move(socket));
  }
  return out;
}

std::vector<std::uint64_t> listening_inodes(std::string_view net_unix_text, std::string_view path) {
  std::vector<std::uint64_t> out;
  for (const UnixSocket& socket : parse_net_unix(net_unix_text)) {
    if (socket.listening && socket.path == path && !path.empty()) out.push_back(socket.inode);
  }
  return out;
}

}  // namespace antifreeze::readings
