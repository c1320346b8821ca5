// The truth about a gate at one moment, as `gate status` shows it. Collecting takes no lock and writes nothing; making
// sense of what was collected is pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/log_event.h"
#include "core/result.h"
#include "gate/breaker_types.h"
#include "gate/gate_dir.h"
#include "gate/gate_state.h"
#include "gate/queue_types.h"
#include "host/clock.h"

namespace antifreeze::cli {

/// A ticket with who holds its lock.
struct FoundTicket {
  gate::SeenTicket seen;
  std::vector<std::int64_t> host_pids;  ///< empty: not readable
};

/// Everything that was read.
struct GateReadings {
  std::string path;
  std::string id;  ///< "" in a directory given by hand
  TimeBase base;
  core::MonoTime monotonic;
  std::vector<FoundTicket> tickets;
  std::optional<gate::ActivePause> pause;
  std::optional<std::string> safe_boot;
  std::vector<gate::BreakerRecord> breakers;
  std::vector<std::string> damaged_breakers;  ///< file names
  EventList log;
  std::set<std::string> gone;  ///< services whose last word in the log is a wrapper's that is proven gone
};

/// A start that holds the gate.
struct HolderView {
  std::string ticket;
  std::string service;
  std::vector<std::string> domains;
  int priority = 0;
  std::string doing;  ///< the log's last word on this service: "starting", "settling"; "" when it says nothing
  std::optional<core::MonoTime> since;
  std::optional<core::MonoTime> deadline;
  bool overdue = false;  ///< past its deadline: the others no longer wait for it
  bool cleared = false;  ///< its processes are gone, memory may still move
  std::int64_t pid = 0;  ///< in its own PID namespace
  std::vector<std::int64_t> host_pids;
};

struct WaiterView {
  std::string ticket;
  std::string service;
  std::vector<std::string> domains;
  int priority = 0;
  core::BootTime arrival;
  bool gathering = false;
  std::int64_t pid = 0;
  std::vector<std::int64_t> host_pids;
};

struct WreckView {
  std::string ticket;
  std::string service;  ///< "" when it cannot be read
  std::vector<std::string> domains;
  bool cleared = false;
};

struct UnreadableView {
  std::string ticket;
  std::vector<std::int64_t> host_pids;
};

/// Why a service starts nothing for the time being. None of them owns a ticket.
enum class HeldState {
  kHeld,         ///< until `until`, a reset, or the end of a safe boot
  kBackingOff,   ///< after failed starts; goes on by itself soon
  kShortMemory,  ///< until the memory that it asks for is free
};

struct HeldView {
  std::string service;
  HeldState state = HeldState::kHeld;
  bool needs_reset = false;  ///< a hold on record, which 'gate reset' ends
  std::uint64_t failures = 0;
  std::optional<core::BootTime> since;
  std::optional<core::BootTime> until;
  std::string reason;
  std::optional<gate::MemoryLoss> loss;
};

/// What the log says last about a service, in this boot.
struct ServiceView {
  std::string service;
  gate::Phase phase = gate::Phase::kQueued;
  core::BootTime since;
  std::string reason;
  bool has_ticket = false;  ///< it named one: it stood in the queue
};

struct GateView {
  std::string path;
  std::string id;
  TimeBase base;
  core::MonoTime monotonic;
  std::optional<gate::ActivePause> pause;
  std::optional<std::string> safe_boot;
  std::vector<HolderView> holders;
  std::vector<WaiterView> queue;  ///< in the order in which they will be served
  std::vector<WreckView> wrecks;
  std::vector<UnreadableView> unreadable;
  std::vector<HeldView> held;
  std::vector<ServiceView> services;  ///< latest change first, at most kMaxServices
  std::vector<std::string> damaged_breakers;
  std::size_t log_garbage = 0;
};

inline constexpr std::size_t kMaxServices = 64;

GateView make_gate_view(const GateReadings& readings);

/// Reads the gate directory. Works on a directory that exists only: it makes nothing. kNotFound when it is missing.
core::Result<GateReadings> read_gate(const std::string& path, const host::Clock& clock);

}  // namespace antifreeze::cli
