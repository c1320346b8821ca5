#include "run/keeper_link.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace antifreeze::run {

core::Status send_message(int socket, Message message, int fd_to_pass) {
  iovec data{&message, sizeof(message)};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  if (fd_to_pass >= 0) {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* item = CMSG_FIRSTHDR(&header);
    item->cmsg_level = SOL_SOCKET;
    item->cmsg_type = SCM_RIGHTS;
    item->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(item), &fd_to_pass, sizeof(int));
  }
  const auto sent = core::retry_eintr([&] { return ::sendmsg(socket, &header, MSG_NOSIGNAL); });
  if (sent == static_cast<ssize_t>(sizeof(message))) return {};
  return core::errno_error("tell the other half of the wrapper", sent < 0 ? errno : EIO);
}

Received receive_message(int socket) {
  Received received;
  Message message;
  iovec data{&message, sizeof(message)};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const auto size = core::retry_eintr([&] { return ::recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC); });
  if (size == static_cast<ssize_t>(sizeof(message))) {
    received.message = message;
    const cmsghdr* item = CMSG_FIRSTHDR(&header);
    if (item != nullptr && item->cmsg_type == SCM_RIGHTS && item->cmsg_len == CMSG_LEN(sizeof(int))) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(item), sizeof(int));
      received.passed = core::Fd(fd);
    }
  } else if (size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) {
    received.closed = true;
  }
  return received;
}

}  // namespace antifreeze::run
