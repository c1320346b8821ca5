// Messages between a server and its engine processes: one short text a packet.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/fd.h"

namespace antifreeze::fakevllm {

/// One end of a socket pair. Never blocks.
class Channel {
 public:
  Channel() = default;
  explicit Channel(core::Fd fd) : fd_(std::move(fd)) {}
  /// Both ends, or two empty channels when the machine has no descriptors left.
  static std::pair<Channel, Channel> pair();

  /// False when the other end has too much to read already; true also when it is gone.
  bool send(std::string_view message) const;
  /// Next message; nullopt when there is none now. `closed()` tells whether there will ever be one.
  std::optional<std::string> receive();
  [[nodiscard]] bool closed() const { return !fd_.valid(); }
  [[nodiscard]] int fd() const { return fd_.get(); }
  void close() { fd_.reset(); }

 private:
  core::Fd fd_;
};

}  // namespace antifreeze::fakevllm
