#include "cli/gate_options.h"

#include <fcntl.h>

#include <array>

#include "host/dir.h"
#include "host/lock_owners.h"

namespace antifreeze::cli {

using core::Error;
using core::ErrorCode;

std::string gate_dir_of(const core::ParsedOptions& parsed) {
  return std::string(parsed.get("gate-dir").value_or(gate::kDefaultGateDir));
}

core::Status check_gate_dir(const core::ParsedOptions& parsed) {
  auto fine = gate::check_gate_path(gate_dir_of(parsed));
  return fine ? fine : core::Status(std::move(fine).error().with_context("--gate-dir"));
}

std::string state_dir_of(const core::ParsedOptions& parsed) {
  return std::string(parsed.get("state-dir").value_or(gate::kDefaultStateDir));
}

core::Result<gate::GateDir> open_existing_gate(const core::ParsedOptions& parsed) {
  const auto path = gate_dir_of(parsed);
  if (auto fine = check_gate_dir(parsed); !fine) return std::move(fine).error();
  const auto there = host::open_dir(AT_FDCWD, path);
  if (!there && there.error().code() == ErrorCode::kNotFound) {
    return Error(ErrorCode::kNotFound, "gate directory " + path + " does not exist; 'antifreeze gate setup' makes it");
  }
  return gate::GateDir::open({path, false});
}

std::string registry_owner(const gate::GateDir& dir) {
  const auto fd = host::open_regular_at(dir.fd(), "registry", O_RDONLY);
  if (!fd) return "";
  const std::array fds{fd->get()};
  const auto owners = host::write_lock_owners(fds);
  std::string out;
  for (const auto pid : owners.front()) {
    out += (out.empty() ? "pid " : ", ") + std::to_string(pid);
  }
  return out;
}

core::Result<gate::RegistryLock> lock_registry(const gate::GateDir& dir, const host::Signals& signals,
                                               const host::Clock& clock) {
  const auto give_up = clock.monotonic() + kRegistryPatience;
  bool asked_to_end = false;
  auto lock = dir.lock_registry(
      [&] {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
          asked_to_end = asked_to_end || (host::Signals::take() & host::signal_bit(signal)) != 0;
        }
        return !asked_to_end && clock.monotonic() < give_up;
      },
      signals);
  if (lock || lock.error().code() != ErrorCode::kTimeout) return lock;
  if (asked_to_end) return Error(ErrorCode::kTimeout, "interrupted");
  const auto owner = registry_owner(dir);
  return Error(ErrorCode::kTimeout, "the gate's registry stays locked" + (owner.empty() ? "" : " by " + owner) +
                                        "; 'antifreeze gate reset --registry' replaces it");
}

}  // namespace antifreeze::cli
