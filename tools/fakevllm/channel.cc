#include "fakevllm/channel.h"

#include <sys/socket.h>

#include <array>

namespace antifreeze::fakevllm {

std::pair<Channel, Channel> Channel::pair() {
  std::array<int, 2> fds{-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds.data()) != 0) return {};
  return {Channel(core::Fd(fds[0])), Channel(core::Fd(fds[1]))};
}

bool Channel::send(std::string_view message) const {
  if (!fd_.valid()) return true;
  return ::send(fd_.get(), message.data(), message.size(), MSG_NOSIGNAL) >= 0 || errno != EAGAIN;
}

std::optional<std::string> Channel::receive() {
  if (!fd_.valid()) return std::nullopt;
  std::array<char, 2048> buffer{};
  const ssize_t size = core::retry_eintr([&] { return recv(fd_.get(), buffer.data(), buffer.size(), 0); });
  if (size > 0) return std::string(buffer.data(), static_cast<std::size_t>(size));
  if (size == 0 || errno != EAGAIN) fd_.reset();
  return std::nullopt;
}

}  // namespace antifreeze::fakevllm
