// /proc/net/tcp, tcp6 and unix: the last one carries paths that anybody may choose.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "readings/net_sockets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antifreeze::readings;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t listening = 0;
  for (const InetSocket& socket : parse_net_tcp(text)) {
    if (is_any_address(socket) && is_loopback(socket)) std::abort();
    if (socket.state == kTcpListen && socket.port == 8000) ++listening;
  }
  if (listening_inodes(text, std::uint16_t{8000}).size() != listening) std::abort();
  for (const UnixSocket& socket : parse_net_unix(text)) {
    if (socket.path.find('\n') != std::string::npos) std::abort();
    if (!socket.listening || socket.path.empty()) continue;
    if (listening_inodes(text, std::string_view(socket.path)).empty()) std::abort();
  }
  return 0;
}
