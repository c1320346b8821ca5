#include "gate/own_ticket.h"

#include <fcntl.h>

#include "core/text.h"
#include "host/dir.h"
#include "host/dir_edit.h"
#include "host/ofd_lock.h"

namespace antifreeze::gate {
namespace {

constexpr std::string_view kStrayPrefix = ".n-";
/// From creation to publication takes microseconds; a frozen maker gets a minute.
constexpr core::Nanos kStrayAge = std::chrono::seconds(60);

std::string stray_name(core::BootTime now, std::string_view random) {
  return std::string(kStrayPrefix) + core::to_hex(static_cast<std::uint64_t>(now.ns), 16) + "-" + std::string(random);
}

}  // namespace

bool is_stray_name(std::string_view name, core::BootTime now) {
  if (!name.starts_with(kStrayPrefix) || name.size() != kStrayPrefix.size() + 16 + 1 + 8) return false;
  const auto made = core::parse_uint(name.substr(kStrayPrefix.size(), 16), 16);
  if (!made) return false;
  const core::BootTime made_at{static_cast<std::int64_t>(*made)};
  return now - made_at > kStrayAge || made_at - now > kStrayAge;
}

core::Result<OwnTicket> OwnTicket::create(const GateDir& dir, Ticket content, core::BootTime now) {
  OwnTicket own(dir.fd(), std::move(content));
  if (auto made = own.make_file(now); !made) {
    return std::move(made).error().with_context("cannot make a ticket in " + dir.path());
  }
  return own;
}

core::Status OwnTicket::make_file(core::BootTime now) {
  auto random = host::random_hex(4);
  if (!random) return std::move(random).error();
  random_ = std::move(*random);
  name_ = stray_name(now, random_);
  auto fd = host::open_regular_at(dirfd_, name_, O_RDWR | O_CREAT | O_EXCL, 0644);
  if (!fd) return std::move(fd).error();
  fd_ = std::move(*fd);
  core::Status done = host::set_mode(fd_.get(), 0644);
  if (done) done = host::allocate(fd_.get(), kTicketBytes);
  if (done) {
    const auto locked = host::try_lock(fd_.get(), host::LockKind::kWrite);
    if (!locked)
      done = locked.error();
    else if (!*locked)
      done = core::Error(core::ErrorCode::kTampered, "somebody locked a ticket before it was made");
  }
  if (done) done = write();
  if (!done) (void)host::unlink_at(dirfd_, name_).has_value();
  return done;
}

core::Status OwnTicket::publish(const RegistryLock& registry, core::BootTime now, std::size_t tickets_there) {
  if (tickets_there >= kMaxTickets) {
    (void)host::unlink_at(dirfd_, name_).has_value();
    return core::Error(core::ErrorCode::kFull, "the gate already holds " + std::to_string(tickets_there) +
                                                   " tickets, at most 1024: something is flooding it");
  }
  (void)registry;  // a parameter so that it cannot be forgotten
  content_.gather_until = now + (content_.gather_until - content_.arrival);
  content_.arrival = now;
  if (auto written = write(); !written) return written;
  const auto name = ticket_name(queue_key(now, content_.priority), random_);
  if (auto renamed = host::rename_at(dirfd_, name_, name); !renamed) return renamed;
  name_ = name;
  return {};
}

core::Status OwnTicket::write() const {
  const auto text = encode_ticket(content_);
  if (!text) return text.error();
  return host::pwrite_all(fd_.get(), *text, 0);
}

bool OwnTicket::is_linked() const {
  const auto same = host::is_same_file(fd_.get(), dirfd_, name_);
  return same && *same;
}

core::Status OwnTicket::release() {
  content_.state = TicketState::kDone;
  auto written = write();
  auto unlinked = is_linked() ? host::unlink_at(dirfd_, name_) : core::Status();
  auto unlocked = host::unlock(fd_.get());
  if (!written) return written;
  return unlinked ? std::move(unlocked) : std::move(unlinked);
}

core::Status OwnTicket::write_cleared(core::MonoTime ended) {
  content_.state = TicketState::kCleared;
  content_.ended = ended;
  return write();
}

core::Status OwnTicket::republish(const RegistryLock& registry, core::BootTime now) {
  const auto old_name = name_;
  core::Fd old = std::move(fd_);
  if (auto made = make_file(now); !made) {
    fd_ = std::move(old);
    name_ = old_name;
    return made;
  }
  (void)registry;
  const auto key = key_of_name(old_name).value_or(queue_key(now, content_.priority));
  const auto name = ticket_name(key, random_);
  if (auto renamed = host::rename_at(dirfd_, name_, name); !renamed) return renamed;
  name_ = name;
  return {};
}

}  // namespace antifreeze::gate
