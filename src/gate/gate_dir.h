// The gate directory: what the wrappers of one machine share (docs/gate-protocol.md, sections 2, 3 and 6).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/fd.h"
#include "core/result.h"
#include "core/time.h"
#include "gate/queue_types.h"
#include "host/signals.h"

namespace antifreeze::gate {

/// Where the gate of a machine lives unless told otherwise.
inline constexpr std::string_view kDefaultGateDir = "/run/antifreeze/gate";
/// More live and dead tickets than this are refused (rule of section 6): the directory is being flooded.
inline constexpr std::size_t kMaxTickets = 1024;

struct GateDirOptions {
  std::string path{kDefaultGateDir};
  /// The host's own directory is demanded: gate.id present, on tmpfs. Without it dockerd made an empty directory in
  /// place of the mount, and two gates would exist.
  bool demand_marker = true;
  /// For those who only look: nothing is made, and a read-only mount will do. Such a directory locks no registry.
  bool read_only = false;
};

/// Refuses what can only be a slip: an empty path, and one whose leading ~ no shell has expanded. kInvalid.
core::Status check_gate_path(std::string_view path);

/// The registry lock: whoever has it decides. Released when destroyed.
class RegistryLock {
 public:
  RegistryLock(RegistryLock&&) = default;
  RegistryLock& operator=(RegistryLock&&) = delete;
  ~RegistryLock();

  /// Whether the locked file is still the one that others will lock (rule E3). Ask again before writing H.
  [[nodiscard]] bool is_current() const;

 private:
  friend class GateDir;
  RegistryLock(core::Fd fd, int dirfd) : fd_(std::move(fd)), dirfd_(dirfd) {}
  core::Fd fd_;
  int dirfd_;
};

/// Tickets as found, with a descriptor to sleep on for each (invalid where the file could not be opened).
struct Listing {
  std::vector<SeenTicket> tickets;
  std::vector<core::Fd> fds;
  std::vector<std::string> strays;  ///< half-made tickets of wrappers that died while making them
};

class GateDir {
 public:
  /// Opens and checks the directory. A directory given by hand is made when missing. Errors say what is wrong and what
  /// to do: missing, no marker, not tmpfs, network file system, read-only (unless only looked at), a link.
  static core::Result<GateDir> open(const GateDirOptions& options);

  [[nodiscard]] int fd() const { return dir_.get(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// "" in a directory given by hand.
  [[nodiscard]] const std::string& id() const { return id_; }
  /// Trusted mode: a directory given by hand, which nothing has marked.
  [[nodiscard]] bool trusted() const { return id_.empty(); }
  [[nodiscard]] std::uint32_t owner_uid() const { return owner_uid_; }
  /// open() made the directory: nobody else is in this gate yet.
  [[nodiscard]] bool made() const { return made_; }

  /// Called whenever a signal interrupts the wait for the registry; returns false to give up.
  using KeepWaiting = std::function<bool()>;
  /// Waits for the registry lock. kTimeout when keep_waiting said no; kTampered when the registry is a link or gone.
  core::Result<RegistryLock> lock_registry(const KeepWaiting& keep_waiting, const host::Signals& signals) const;
  /// The lock if it is free at this moment.
  core::Result<std::optional<RegistryLock>> try_lock_registry() const;

  /// All tickets but `own_name`, each asked for its lock first and read then (rule D1). Error kFull when the directory
  /// is flooded.
  [[nodiscard]] core::Result<Listing> list(const std::string& own_name, core::BootTime now) const;

  /// Puts a fresh registry in place of one that somebody holds and will not give back.
  core::Status replace_registry() const;

 private:
  [[nodiscard]] core::Result<core::Fd> open_registry() const;
  [[nodiscard]] core::Status check_registry() const;

  core::Fd dir_;
  std::string path_;
  std::string id_;
  std::uint32_t owner_uid_ = 0;
  bool made_ = false;
};

/// Ticket `name`, if somebody who lives holds the gate by it at this moment.
std::optional<Ticket> held_ticket(const GateDir& dir, const std::string& name);

}  // namespace antifreeze::gate
