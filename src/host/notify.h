// The sd_notify(3) protocol from both ends, without libsystemd: to systemd above us, and from the server below us.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/fd.h"
#include "core/result.h"

namespace antifreeze::host {

/// Sends `text` ("READY=1", "STATUS=…", several lines) to the socket that NOTIFY_SOCKET names: an absolute path or
/// "@abstract". Never waits: a full queue is an error like any other, and none of them may stop the program.
core::Status notify_send(std::string_view socket_name, std::string_view text);

/// One message from a server.
struct NotifyMessage {
  std::string text;  ///< lines KEY=VALUE, as sent: hostile input
  pid_t pid = 0;     ///< the sender in our PID namespace, as the kernel says; 0 when it has no number there
  uid_t uid = 0;

  /// The value of the first line "KEY=…".
  [[nodiscard]] std::optional<std::string_view> value(std::string_view key) const;
};

/// What `--ready notify` listens on: an abstract datagram socket with a random name, reachable for every process in our
/// network namespace. Who sent a message is for the caller to judge, by `pid`.
class NotifySocket {
 public:
  static core::Result<NotifySocket> open();

  /// For the server's NOTIFY_SOCKET.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int fd() const { return socket_.get(); }
  /// The next message, without waiting; nullopt when none is there. At most 4 KiB of text, longer ones are cut.
  /// Descriptors that come along (FDSTORE=1, BARRIER=1) are closed, which is also what a barrier waits for.
  [[nodiscard]] core::Result<std::optional<NotifyMessage>> receive() const;

 private:
  NotifySocket(core::Fd socket, std::string name) : socket_(std::move(socket)), name_(std::move(name)) {}

  core::Fd socket_;
  std::string name_;
};

}  // namespace antifreeze::host
