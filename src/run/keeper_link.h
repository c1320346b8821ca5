// What front and keeper say to each other, over a SOCK_SEQPACKET pair that nobody else has.
#pragma once

#include <cstdint>
#include <optional>

#include "core/fd.h"
#include "core/result.h"

namespace antifreeze::run {

enum class Say : char {
  // front to keeper
  kSignal = 's',  ///< pass signal `value` on to the server
  kKill = 'k',    ///< SIGKILL for the whole tree, now
  kTicket = 't',  ///< a new ticket file comes along; the old one was tampered with
  // keeper to front
  kStarted = 'p',     ///< the server runs, as process `value`
  kExecFailed = 'e',  ///< exec failed with errno `value`
  kEnded = 'x',       ///< the server ended with wait status `value`; what it left behind is being ended
  kGone = 'g',        ///< no descendant is left
};

struct Message {
  Say say = Say::kGone;
  std::int32_t value = 0;
};

/// Sends; an error means that the other side is dead.
core::Status send_message(int socket, Message message, int fd_to_pass = -1);

/// What receive_message got.
struct Received {
  std::optional<Message> message;  ///< nullopt: nothing there at the moment
  bool closed = false;             ///< the other side is dead
  core::Fd passed;                 ///< with kTicket
};
Received receive_message(int socket);

}  // namespace antifreeze::run
