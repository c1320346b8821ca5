// A ticket: one place in the queue, one file in the gate directory (docs/gate-protocol.md, sections 1 and 2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"

namespace antifreeze::gate {

/// What the holder of a ticket is doing. The letter is what stands in the file.
enum class TicketState : char {
  kWaiting = 'W',
  kHolding = 'H',
  kCleared = 'C',  ///< holder dead or leaving, but every process of it is proven gone; memory may still move
  kDone = 'D',
};

/// What is serialised. Only starts are made today; the others are understood, so that old and new programs mix.
enum class TicketKind { kStart, kStop, kSleep, kWake };

/// Every ticket file has this size, allocated when it is created: later writes cannot meet a full file system.
inline constexpr std::size_t kTicketBytes = 4096;
inline constexpr int kMinPriority = -10;
inline constexpr int kMaxPriority = 10;
/// One step of priority is worth this much earlier arrival: only arrivals of the next 20 minutes can overtake.
inline constexpr core::Nanos kPriorityStep = std::chrono::seconds(60);
/// The domain that conflicts with every other one.
inline constexpr std::string_view kHostDomain = "host";

/// The content of a ticket file.
struct Ticket {
  TicketState state = TicketState::kWaiting;
  TicketKind kind = TicketKind::kStart;
  std::string service;
  int priority = 0;
  std::vector<std::string> domains;        ///< "host", or GPU UUIDs
  core::BootTime arrival;                  ///< when it was published
  core::BootTime gather_until;             ///< not grantable before
  std::optional<core::MonoTime> granted;   ///< set with kHolding
  std::optional<core::MonoTime> deadline;  ///< the others ignore the hold after this
  std::optional<core::MonoTime> ended;     ///< set with kCleared: when the last process was gone
  std::string boot_id;
  std::string gate_id;              ///< "" in a directory given by hand
  std::uint64_t pid_namespace = 0;  ///< inode of the holder's PID namespace
  std::int64_t pid = 0;             ///< in that namespace; for people, never trusted
};

/// The file's whole content, kTicketBytes long. Error kInvalid when the domains do not fit.
core::Result<std::string> encode_ticket(const Ticket& ticket);

/// Reads what encode_ticket wrote. Error kTampered on anything else: wrong size, checksum, version, unknown state.
core::Result<Ticket> decode_ticket(std::string_view file);

/// Sort key: arrival less priority x 60 s, plus 2^60 so that it is never negative. Smaller is served earlier.
std::uint64_t queue_key(core::BootTime arrival, int priority);

/// "t-KEY-RAND": 16 and 8 lower-case hex digits. Sorted names are the queue.
std::string ticket_name(std::uint64_t key, std::string_view random8);

/// The KEY of a ticket's name; nullopt when the name is none.
std::optional<std::uint64_t> key_of_name(std::string_view name);

/// Whether two sets of domains may not start together: equal members, or `host` on either side.
bool domains_conflict(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace antifreeze::gate
