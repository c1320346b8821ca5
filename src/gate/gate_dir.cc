#include "gate/gate_dir.h"

#include <fcntl.h>

#include "core/text.h"
#include "gate/mutant.h"
#include "gate/own_ticket.h"
#include "host/dir.h"
#include "host/dir_edit.h"
#include "host/ofd_lock.h"

namespace antifreeze::gate {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::string_view kRegistry = "registry";
constexpr std::string_view kMarker = "gate.id";
/// More than the tmpfs of the host has inodes (4096): a listing is complete or refused.
constexpr std::size_t kMaxNames = 8192;

Error refuse(ErrorCode code, const std::string& path, std::string_view what, std::string_view remedy) {
  return {code, "gate directory " + path + " " + std::string(what) + "; " + std::string(remedy)};
}

/// Asks first, reads then: a ticket that is released in between reads as released, not as a wreck.
SeenTicket look_at(const std::string& name, int fd) {
  SeenTicket seen{name, false, std::nullopt};
  const auto locked = host::is_locked_against(fd, host::LockKind::kRead);
  seen.live = !locked || *locked;  // cannot be told: the careful answer
  // A holder may be renewing its ticket this very moment: what fails its checksum is read again.
  for (int attempt = 0; attempt < 3 && !seen.ticket; ++attempt) {
    const auto content = host::pread_all(fd, kTicketBytes);
    if (!content) break;
    auto ticket = decode_ticket(*content);
    if (ticket) seen.ticket = std::move(*ticket);
  }
  return seen;
}

/// Whether somebody still holds the lock on it: its maker may be waiting for the registry for minutes.
bool is_alive(int dirfd, const std::string& name) {
  const auto fd = host::open_regular_at(dirfd, name, O_RDONLY);
  if (!fd) return false;
  const auto locked = host::is_locked_against(fd->get(), host::LockKind::kRead);
  return !locked || *locked;
}

}  // namespace

RegistryLock::~RegistryLock() {
  if (fd_.valid()) (void)host::unlock(fd_.get()).has_value();
}

bool RegistryLock::is_current() const {
  const auto same = host::is_same_file(fd_.get(), dirfd_, std::string(kRegistry));
  return same && *same;
}

core::Status check_gate_path(std::string_view path) {
  if (path.empty()) return Error(ErrorCode::kInvalid, "the path is empty");
  if (path.front() != '~') return {};
  return Error(ErrorCode::kInvalid,
               "'" + core::printable(path) + "' begins with ~, which the shell did not expand; write the whole path");
}

core::Result<GateDir> GateDir::open(const GateDirOptions& options) {
  GateDir gate;
  gate.path_ = options.path;
  const std::string_view set_up = "run 'antifreeze gate setup' on the host, or name a directory with --gate-dir";
  auto dir = host::open_dir(AT_FDCWD, options.path);
  if (!dir && dir.error().code() == ErrorCode::kNotFound) {
    if (options.demand_marker || options.read_only) {
      return refuse(ErrorCode::kNotFound, options.path, "does not exist", set_up);
    }
    if (auto made = host::make_dirs(options.path, 01777); !made) {
      return std::move(made).error().with_context("gate directory " + options.path + " cannot be made");
    }
    gate.made_ = true;
    dir = host::open_dir(AT_FDCWD, options.path);
  }
  if (!dir) return std::move(dir).error().with_context("gate directory " + options.path + " cannot be opened");
  gate.dir_ = std::move(*dir);

  const auto file_system = host::file_system_of(gate.fd());
  if (!file_system) return Error(file_system.error()).with_context("gate directory " + options.path);
  if (file_system->locks != readings::LockFitness::kFit) {
    return refuse(ErrorCode::kUnsupported, options.path,
                  "is on " + std::string(file_system->name) + ", whose locks may not exclude",
                  "use a directory on tmpfs or a local disk");
  }
  const auto marker = host::read_file_at(gate.fd(), std::string(kMarker), 4096);
  if (marker) {
    auto text = std::string_view(*marker);
    gate.id_ = core::printable(core::trim(core::next_line(text).value_or("")), 64);
    if (gate.id_.empty()) return refuse(ErrorCode::kTampered, options.path, "has an empty gate.id", set_up);
  } else if (marker.error().code() != ErrorCode::kNotFound) {
    return Error(marker.error()).with_context("gate directory " + options.path);
  } else if (options.demand_marker) {
    return refuse(ErrorCode::kInvalid, options.path,
                  "has no gate.id: it is not the host's (an empty directory in place of a missing mount?)", set_up);
  }
  if (options.demand_marker && file_system->name != "tmpfs") {
    return refuse(ErrorCode::kUnsupported, options.path, "is not on tmpfs", set_up);
  }
  const auto info = host::file_info(gate.fd());
  if (!info) return Error(info.error()).with_context("gate directory " + options.path);
  gate.owner_uid_ = info->owner;

  if (auto registry = options.read_only ? core::Status() : gate.check_registry(); !registry) {
    return std::move(registry).error().with_context("gate directory " + options.path + " cannot be used");
  }
  return gate;
}

core::Status GateDir::check_registry() const {
  const auto registry = open_registry();
  return registry ? core::Status() : core::Status(registry.error());
}

core::Result<core::Fd> GateDir::open_registry() const {
  const std::string name(kRegistry);
  auto fd = host::open_regular_at(dir_.get(), name, O_RDWR);
  if (fd || fd.error().code() != ErrorCode::kNotFound) return fd;
  if (!trusted()) {
    return Error(ErrorCode::kTampered, "its registry is missing; run 'antifreeze gate setup' on the host");
  }
  auto made = host::open_regular_at(dir_.get(), name, O_RDWR | O_CREAT | O_EXCL, 0666);
  if (made) {
    if (auto mode = host::set_mode(made->get(), 0666); !mode) return std::move(mode).error();
    return made;
  }
  auto theirs = host::open_regular_at(dir_.get(), name, O_RDWR);  // somebody else may have been faster
  return theirs || theirs.error().code() != ErrorCode::kNotFound ? std::move(theirs) : std::move(made);
}

core::Result<RegistryLock> GateDir::lock_registry(const KeepWaiting& keep_waiting, const host::Signals& signals) const {
  for (;;) {
    auto fd = open_registry();
    if (!fd) return std::move(fd).error().with_context("gate registry");
    RegistryLock lock(std::move(*fd), dir_.get());
    if (mutant("no_registry_lock")) return lock;
    const auto at_once = host::try_lock(lock.fd_.get(), host::LockKind::kWrite);
    if (!at_once) return Error(at_once.error()).with_context("gate registry");
    while (!*at_once) {
      const auto waited =
          signals.interruptible([&] { return host::wait_lock(lock.fd_.get(), host::LockKind::kWrite); });
      if (!waited) return Error(waited.error()).with_context("gate registry");
      if (*waited == host::LockWait::kLocked) break;
      if (!keep_waiting()) return Error(ErrorCode::kTimeout, "gave up waiting for the gate registry");
      if (!lock.is_current()) break;
    }
    if (lock.is_current()) return lock;
  }
}

core::Result<std::optional<RegistryLock>> GateDir::try_lock_registry() const {
  auto fd = open_registry();
  if (!fd) return std::move(fd).error().with_context("gate registry");
  RegistryLock lock(std::move(*fd), dir_.get());
  const auto locked = host::try_lock(lock.fd_.get(), host::LockKind::kWrite);
  if (!locked) return Error(locked.error()).with_context("gate registry");
  if (!*locked || !lock.is_current()) return std::optional<RegistryLock>();
  return std::optional<RegistryLock>(std::move(lock));
}

core::Result<Listing> GateDir::list(const std::string& own_name, core::BootTime now) const {
  auto names = host::list_names(dir_.get(), kMaxNames);
  if (!names) return std::move(names).error().with_context("gate directory " + path_);
  if (names->truncated) {
    return refuse(ErrorCode::kFull, path_, "holds more than 8192 files", "something is flooding it");
  }
  Listing listing;
  for (auto& name : names->names) {
    if (is_stray_name(name, now) && !is_alive(dir_.get(), name)) listing.strays.push_back(name);
    if (name == own_name || !key_of_name(name)) continue;
    auto fd = host::open_regular_at(dir_.get(), name, O_RDONLY);
    if (fd) {
      listing.tickets.push_back(look_at(name, fd->get()));
      // Nobody sleeps on a dead one: descriptors are kept for the live, which litter is not.
      listing.fds.push_back(listing.tickets.back().live ? std::move(*fd) : core::Fd());
    } else if (fd.error().code() == ErrorCode::kPermission) {
      // A ticket that we may not open counts as a live hold of everything, for a bounded time.
      listing.tickets.push_back({name, true, std::nullopt});
      listing.fds.emplace_back();
    } else if (fd.error().code() != ErrorCode::kNotFound && fd.error().code() != ErrorCode::kTampered) {
      // Not to see a ticket (out of descriptors, out of memory) must never mean that there is none.
      return std::move(fd).error().with_context("gate directory " + path_);
    }
    // Links, FIFOs and what has just gone are no tickets.
  }
  return listing;
}

std::optional<Ticket> held_ticket(const GateDir& dir, const std::string& name) {
  if (!key_of_name(name)) return std::nullopt;  // it comes from the environment
  const auto fd = host::open_regular_at(dir.fd(), name, O_RDONLY);
  if (!fd) return std::nullopt;
  auto seen = look_at(name, fd->get());
  if (!seen.live || !seen.ticket || seen.ticket->state != TicketState::kHolding) return std::nullopt;
  return std::move(seen.ticket);
}

core::Status GateDir::replace_registry() const {
  return host::write_file_atomic(dir_.get(), std::string(kRegistry), "", 0666, false);
}

}  // namespace antifreeze::gate
