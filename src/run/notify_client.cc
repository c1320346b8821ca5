#include "run/notify_client.h"

#include "core/text.h"
#include "host/notify.h"

namespace antifreeze::run {
namespace {
/// systemd takes the last word: each extension reaches 30 s, so that two may be lost (sd_notify(3)).
constexpr core::Nanos kExtendEvery = std::chrono::seconds(10);
constexpr std::string_view kExtension = "EXTEND_TIMEOUT_USEC=30000000";
}  // namespace

void NotifyClient::waiting(std::string_view status, core::MonoTime now) {
  if (socket_.empty()) return;
  if (now >= next_extension_) {
    next_extension_ = now + kExtendEvery;
    send(std::string(kExtension));
  }
  if (status != last_status_) {
    last_status_ = status;
    send("STATUS=" + core::printable(status, 512));
  }
}

void NotifyClient::ready(std::string_view status) { send("READY=1\nSTATUS=" + core::printable(status, 512)); }
void NotifyClient::stopping() { send("STOPPING=1"); }

void NotifyClient::send(const std::string& text) const {
  if (socket_.empty()) return;
  // Nobody listening is systemd's business, not a reason to stop a server.
  (void)host::notify_send(socket_, text).has_value();
}

}  // namespace antifreeze::run
