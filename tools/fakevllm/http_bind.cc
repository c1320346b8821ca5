// Addresses of the HTTP server: numeric ones and unix sockets. No resolver: a static program has none.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fakevllm/http_server.h"

namespace antifreeze::fakevllm {

core::Status HttpServer::bind_any(const void* address, unsigned size, int family, bool reuse_port,
                                  const std::string& name) {
  core::Fd fd(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int one = 1;
  if (!fd.valid()) return core::errno_error("socket", errno);
  if (family != AF_UNIX) {
    (void)setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (reuse_port) (void)setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
  }
  if (bind(fd.get(), static_cast<const sockaddr*>(address), size) != 0) return core::errno_error(name, errno);
  listener_ = std::move(fd);
  return {};
}

core::Status HttpServer::bind_tcp(const std::string& host, int port, bool reuse_port) {
  const std::string name = "bind to " + host + " port " + std::to_string(port);
  const auto network_port = htons(static_cast<std::uint16_t>(port));
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = network_port;
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    return bind_any(&v4, sizeof(v4), AF_INET, reuse_port, name);
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = network_port;
  if (inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    return bind_any(&v6, sizeof(v6), AF_INET6, reuse_port, name);
  }
  return core::Error(core::ErrorCode::kInvalid, "'" + host + "' is no numeric address");
}

core::Status HttpServer::bind_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path))
    return core::Error(core::ErrorCode::kInvalid, path + ": too long a path");
  std::memcpy(address.sun_path, path.data(), path.size());
  (void)unlink(path.c_str());
  return bind_any(&address, sizeof(address), AF_UNIX, false, "bind to " + path);
}

int HttpServer::port() const {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
  return 0;
}

}  // namespace antifreeze::fakevllm
