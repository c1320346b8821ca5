// The reading half of gate_view.h.
#include <fcntl.h>

#include <map>

#include "cli/gate_view.h"
#include "cli/log_files.h"
#include "gate/breaker_file.h"
#include "host/dir.h"
#include "host/identity.h"
#include "host/lock_owners.h"
#include "host/pid_census.h"

namespace antifreeze::cli {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::size_t kMaxNames = 8192;

/// GateDir::open makes a missing directory and a missing registry; whoever only looks must not.
core::Status check_there(const std::string& path) {
  const auto dir = host::open_dir(AT_FDCWD, path);
  if (!dir) {
    if (dir.error().code() != ErrorCode::kNotFound) return Error(dir.error()).with_context("gate directory " + path);
    return Error(ErrorCode::kNotFound, "gate directory " + path +
                                           " does not exist; 'antifreeze gate setup' makes the host's, a first start "
                                           "with --gate-dir any other");
  }
  const auto registry = host::open_regular_at(dir->get(), "registry", O_RDONLY);
  if (registry || registry.error().code() == ErrorCode::kPermission) return {};
  if (registry.error().code() != ErrorCode::kNotFound) {
    return Error(registry.error()).with_context("gate directory " + path);
  }
  return Error(ErrorCode::kNotFound,
               "gate directory " + path + " has no registry: nothing was ever started through it");
}

core::Status read_tickets(const gate::GateDir& dir, core::BootTime now, GateReadings& into) {
  auto listing = dir.list("", now);
  if (!listing) return std::move(listing).error();
  std::vector<int> fds;
  for (std::size_t i = 0; i < listing->fds.size(); ++i) {
    fds.push_back(listing->tickets[i].live ? listing->fds[i].get() : -1);
  }
  const auto owners = host::write_lock_owners(fds);
  for (std::size_t i = 0; i < listing->tickets.size(); ++i) {
    into.tickets.push_back({std::move(listing->tickets[i]), {owners[i].begin(), owners[i].end()}});
  }
  return {};
}

core::Status read_breakers(const gate::GateDir& dir, GateReadings& into) {
  const auto names = host::list_names(dir.fd(), kMaxNames);
  if (!names) return names.error();
  for (const auto& name : names->names) {
    if (!gate::is_breaker_file_name(name)) continue;
    const auto text = host::read_file_at(dir.fd(), name, gate::kBreakerFileBytes);
    if (!text && text.error().code() == ErrorCode::kNotFound) continue;  // gone since it was listed
    auto record = text ? gate::decode_breaker(*text) : core::Result<gate::BreakerRecord>(text.error());
    if (record)
      into.breakers.push_back(std::move(*record));
    else
      into.damaged_breakers.push_back(name);
  }
  return {};
}

/// Services that said last that they wait, and whose wrapper is proven gone: it was killed before it could say so.
std::set<std::string> services_gone(const GateReadings& in) {
  std::map<std::string_view, const LogEvent*> last;
  for (const auto& event : in.log.events) {
    if (event.boot_id != in.base.boot_id) continue;
    auto& word = last[event.service];
    if (word == nullptr || event.boottime >= word->boottime) word = &event;
  }
  std::erase_if(last, [](const auto& entry) {
    const auto phase = entry.second->phase;
    return (phase != gate::Phase::kQueued && phase != gate::Phase::kHeld) || !entry.second->pid;
  });
  std::set<std::string> gone;
  if (last.empty()) return gone;
  const auto census = host::PidCensus::take();
  if (!census) return gone;
  for (const auto& [service, event] : last) {
    std::optional<std::uint64_t> pid_namespace;
    if (event->pid_namespace && *event->pid_namespace > 0) {
      pid_namespace = static_cast<std::uint64_t>(*event->pid_namespace);
    }
    if (census->of({*event->pid, pid_namespace, event->boottime}) == host::Life::kGone) gone.emplace(service);
  }
  return gone;
}

}  // namespace

core::Result<GateReadings> read_gate(const std::string& path, const host::Clock& clock) {
  if (auto there = check_there(path); !there) return std::move(there).error();
  const auto dir = gate::GateDir::open({path, false, true});
  if (!dir) return dir.error();
  auto identity = host::read_identity();
  if (!identity) return std::move(identity).error();
  GateReadings readings;
  readings.path = path;
  readings.id = dir->id();
  readings.base = {std::move(identity->boot_id), clock.boottime(), clock.wall()};
  readings.monotonic = clock.monotonic();
  if (auto read = read_tickets(*dir, readings.base.boottime, readings); !read) return std::move(read).error();
  readings.pause = gate::active_pause(*dir, readings.base.boottime, readings.base.boot_id);
  readings.safe_boot = gate::safe_boot(*dir);
  if (auto read = read_breakers(*dir, readings); !read) return std::move(read).error();
  auto log = read_gate_log(dir->fd());
  if (!log) return std::move(log).error();
  readings.log = std::move(*log);
  readings.gone = services_gone(readings);
  return readings;
}

}  // namespace antifreeze::cli
