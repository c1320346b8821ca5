// What we tell systemd, when it started us (NOTIFY_SOCKET).
#pragma once

#include <string>
#include <string_view>

#include "core/time.h"

namespace antifreeze::run {

class NotifyClient {
 public:
  /// `socket` is NOTIFY_SOCKET's value, "" for none: then every call does nothing.
  explicit NotifyClient(std::string socket) : socket_(std::move(socket)) {}

  /// STATUS=, at most every 100 ms and when it changed; and, while a unit may time out, EXTEND_TIMEOUT_USEC every 10 s.
  void waiting(std::string_view status, core::MonoTime now);
  /// READY=1: the server is up.
  void ready(std::string_view status);
  void stopping();
  /// A message of the server's own, as it is (WATCHDOG=1, STATUS=…): with NotifyAccess=main only ours are heard.
  void pass_on(const std::string& text) const { send(text); }

 private:
  void send(const std::string& text) const;

  std::string socket_;
  std::string last_status_;
  core::MonoTime next_extension_{};
};

}  // namespace antifreeze::run
