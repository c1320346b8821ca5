// A server on this machine whose every step a test decides: listens, accepts, reads, writes, closes. Blocking calls on
// loopback with what is already there; no thread.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/fd.h"
#include "host/unix_address.h"

namespace antifreeze::host::fake {

class LoopbackServer {
 public:
  /// Binds a free port of 127.0.0.1; listens unless told not to.
  explicit LoopbackServer(bool listening = true) {
    socket_ = core::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) std::abort();
    if (::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) std::abort();
    port_ = ntohs(address.sin_port);
    if (listening) listen();
  }
  /// Listens on a unix socket; '@' in front of an abstract name.
  explicit LoopbackServer(const std::string& path) {
    socket_ = core::Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = unix_address(path);
    if (!address || ::bind(socket_.get(), address->get(), address->size) != 0) std::abort();
    listen();
  }

  void listen(int backlog = 8) const {
    if (::listen(socket_.get(), backlog) != 0) std::abort();
  }
  void close() { socket_.reset(); }
  [[nodiscard]] int fd() const { return socket_.get(); }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  /// Waits a moment for one to come.
  [[nodiscard]] bool has_caller() const { return readable(socket_.get(), 2000); }
  /// Takes the caller that waits.
  void accept() { client_ = core::Fd(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }
  /// What all callers have sent so far; waits a moment for the first of it.
  std::string received() {
    std::array<char, 4096> buffer;
    while (readable(client_.get(), received_.empty() ? 2000 : 0)) {
      const auto got = ::recv(client_.get(), buffer.data(), buffer.size(), 0);
      if (got <= 0) break;
      received_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return received_;
  }
  void send(std::string_view text) const { (void)::send(client_.get(), text.data(), text.size(), MSG_NOSIGNAL); }
  void hang_up() { client_.reset(); }
  /// Closes so that the caller sees a reset instead of an end.
  void reset_connection() {
    const linger now{1, 0};
    (void)::setsockopt(client_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    client_.reset();
  }

 private:
  static bool readable(int fd, int patience_ms) {
    pollfd wait{fd, POLLIN, 0};
    return ::poll(&wait, 1, patience_ms) == 1;
  }

  core::Fd socket_;
  core::Fd client_;
  std::uint16_t port_ = 0;
  std::string received_;
};

}  // namespace antifreeze::host::fake
