// The ticket that this process made and holds the lock on.
#pragma once

#include <string>

#include "core/fd.h"
#include "core/result.h"
#include "gate/gate_dir.h"
#include "gate/ticket.h"

namespace antifreeze::gate {

/// Whether `name` is a ticket that was never published and is old enough to be nobody's any more.
bool is_stray_name(std::string_view name, core::BootTime now);

class OwnTicket {
 public:
  /// Makes and locks the file under a name that nobody looks at (rule E2: never visible unlocked). kFull when the
  /// directory has no room.
  static core::Result<OwnTicket> create(const GateDir& dir, Ticket content, core::BootTime now);

  /// Makes it visible: arrival is `now`, the name gets its KEY. kFull when there are too many tickets.
  core::Status publish(const RegistryLock& registry, core::BootTime now, std::size_t tickets_there);

  /// Writes content() into the file: one pwrite.
  core::Status write() const;
  /// Whether the file is still in the directory. False: somebody removed it.
  [[nodiscard]] bool is_linked() const;
  /// Writes D, removes the file and drops the lock, which wakes whoever sleeps on it (rule H3).
  core::Status release();
  /// Writes C: the last process of this start is gone since `ended`. The lock stays until this process exits.
  core::Status write_cleared(core::MonoTime ended);
  /// Puts a new file in place of one that somebody removed (rule H5), in the same state.
  core::Status republish(const RegistryLock& registry, core::BootTime now);

  Ticket& content() { return content_; }
  [[nodiscard]] const Ticket& content() const { return content_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  OwnTicket(int dirfd, Ticket content) : dirfd_(dirfd), content_(std::move(content)) {}
  core::Status make_file(core::BootTime now);

  int dirfd_;
  Ticket content_;
  core::Fd fd_;
  std::string name_;
  std::string random_;
};

}  // namespace antifreeze::gate
