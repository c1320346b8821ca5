#include "host/notify.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/text.h"
#include "host/dir.h"
#include "host/unix_address.h"

namespace antifreeze::host {
namespace {

using core::errno_error;
using core::Error;
using core::ErrorCode;

constexpr std::size_t kMaxText = 4096;
/// The kernel passes at most 253 descriptors in one message (SCM_MAX_FD).
constexpr std::size_t kMaxDescriptors = 253;

void close_descriptors(const cmsghdr* part) {
  const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t i = 0; i < count; ++i) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
    ::close(fd);
  }
}

}  // namespace

core::Status notify_send(std::string_view socket_name, std::string_view text) {
  const auto address = unix_address(socket_name);
  if (!address) {
    return Error(ErrorCode::kUnsupported, "NOTIFY_SOCKET '" + core::printable(socket_name) +
                                              "' is neither an absolute path nor an abstract name");
  }
  const core::Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return errno_error("opening a socket to notify", errno);
  const ssize_t put = core::retry_eintr(
      [&] { return ::sendto(socket.get(), text.data(), text.size(), MSG_NOSIGNAL, address->get(), address->size); });
  if (put < 0) return errno_error("notifying '" + core::printable(socket_name) + "'", errno);
  return {};
}

std::optional<std::string_view> NotifyMessage::value(std::string_view key) const {
  std::string_view rest = text;
  while (const auto line = core::next_line(rest)) {
    if (line->size() > key.size() && line->starts_with(key) && (*line)[key.size()] == '=') {
      return line->substr(key.size() + 1);
    }
  }
  return std::nullopt;
}

core::Result<NotifySocket> NotifySocket::open() {
  auto random = random_hex(8);
  if (!random) return std::move(random).error();
  std::string name = "@antifreeze/notify/" + *random;
  core::Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return errno_error("opening a socket for notifications", errno);
  const int on = 1;
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) != 0) {
    return errno_error("asking for the senders of notifications", errno);
  }
  const auto address = unix_address(name);
  if (::bind(socket.get(), address->get(), address->size) != 0) {
    return errno_error("binding a socket for notifications", errno);
  }
  return NotifySocket(std::move(socket), std::move(name));
}

core::Result<std::optional<NotifyMessage>> NotifySocket::receive() const {
  std::array<char, kMaxText> buffer;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(kMaxDescriptors * sizeof(int))> control;
  iovec part{buffer.data(), buffer.size()};
  msghdr head{};
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  head.msg_control = control.data();
  head.msg_controllen = control.size();
  const ssize_t got = core::retry_eintr([&] { return ::recvmsg(socket_.get(), &head, MSG_CMSG_CLOEXEC); });
  if (got < 0) {
    if (errno == EAGAIN) return std::optional<NotifyMessage>();
    return errno_error("receiving a notification", errno);
  }
  NotifyMessage message;
  message.text.assign(buffer.data(), static_cast<std::size_t>(got));
  for (cmsghdr* extra = CMSG_FIRSTHDR(&head); extra != nullptr; extra = CMSG_NXTHDR(&head, extra)) {
    if (extra->cmsg_level != SOL_SOCKET) continue;
    if (extra->cmsg_type == SCM_RIGHTS) close_descriptors(extra);
    if (extra->cmsg_type == SCM_CREDENTIALS && extra->cmsg_len == CMSG_LEN(sizeof(ucred))) {
      ucred sender{};
      std::memcpy(&sender, CMSG_DATA(extra), sizeof(sender));
      message.pid = sender.pid;
      message.uid = sender.uid;
    }
  }
  return std::optional<NotifyMessage>(std::move(message));
}

}  // namespace antifreeze::host
