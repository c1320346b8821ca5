#include "host/socket_owner.h"

#include <algorithm>

namespace antifreeze::host {
namespace {

using core::Result;
using Family = ProbeAddress::Family;

/// Whether the socket is bound to exactly the address asked for, also in its IPv4-in-IPv6 form.
bool is_bound_to(const readings::InetSocket& socket, const ProbeAddress& address) {
  const bool asks_v6 = address.family == Family::kIpv6;
  if (socket.v6 == asks_v6)
    return std::equal(address.ip.begin(), address.ip.begin() + (asks_v6 ? 16 : 4), socket.address.begin());
  if (asks_v6) return false;
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(kMapped.begin(), kMapped.end(), socket.address.begin()) &&
         std::equal(address.ip.begin(), address.ip.begin() + 4, socket.address.begin() + 12);
}

/// An IPv6 socket bound to every address usually takes IPv4 as well; whether it does, /proc does not say.
bool takes_any(const readings::InetSocket& socket, const ProbeAddress& address) {
  return readings::is_any_address(socket) && (socket.v6 || address.family == Family::kIpv4);
}

std::vector<std::uint64_t> inodes_of(const std::vector<readings::InetSocket>& sockets) {
  std::vector<std::uint64_t> inodes;
  for (const auto& socket : sockets) inodes.push_back(socket.inode);
  return inodes;
}

/// The kernel prefers the socket bound to the very address (compute_score in net/ipv4/inet_hashtables.c).
std::vector<std::uint64_t> reachable(const std::vector<readings::InetSocket>& listeners, const ProbeAddress& address) {
  std::vector<readings::InetSocket> exact;
  std::vector<readings::InetSocket> any;
  for (const auto& socket : listeners) {
    if (is_bound_to(socket, address)) {
      exact.push_back(socket);
    } else if (takes_any(socket, address)) {
      any.push_back(socket);
    }
  }
  return inodes_of(exact.empty() ? any : exact);
}

struct OwnSockets {
  std::size_t found = 0;
  bool all_readable = true;
};

/// How many of `listeners` are open in `pids`. Stops looking once all are found.
OwnSockets count_own(const ProcTree& tree, const std::vector<pid_t>& pids, std::vector<std::uint64_t> listeners) {
  OwnSockets own;
  for (const pid_t pid : pids) {
    if (listeners.empty()) break;
    const auto inodes = tree.socket_inodes(pid);
    if (!inodes) {
      own.all_readable = own.all_readable && inodes.error().code() == core::ErrorCode::kNotFound;
      continue;
    }
    own.found += std::erase_if(
        listeners, [&](std::uint64_t inode) { return std::binary_search(inodes->begin(), inodes->end(), inode); });
  }
  return own;
}

}  // namespace

std::string_view to_string(SocketOwner owner) {
  switch (owner) {
    case SocketOwner::kNobody:
      return "nobody";
    case SocketOwner::kOwn:
      return "own";
    case SocketOwner::kForeign:
      return "foreign";
    case SocketOwner::kAppearedUnreadable:
      break;
  }
  return "appeared since exec";
}

Result<std::vector<std::uint64_t>> listening_at(const ProcTree& tree, const ProbeAddress& address, pid_t pid) {
  if (address.family == Family::kUnix) return tree.unix_listeners(address.path, pid);
  const auto listeners = tree.tcp_listeners(address.port, pid);
  if (!listeners) return core::Error(listeners.error());
  return reachable(*listeners, address);
}

Result<SocketFinding> who_listens(const ProcTree& tree, pid_t root, const ProbeAddress& address,
                                  const std::vector<std::uint64_t>& baseline) {
  auto listeners = listening_at(tree, address);
  if (!listeners) return std::move(listeners).error();
  SocketFinding finding;
  if (listeners->empty()) return finding;
  std::vector<pid_t> pids{root};
  for (const auto& process : tree.descendants(root)) pids.push_back(process.pid);
  const auto own = count_own(tree, pids, *listeners);
  finding.own = own.found;
  finding.others = listeners->size() - own.found;
  if (own.found > 0) {
    finding.owner = SocketOwner::kOwn;
    return finding;
  }
  const bool appeared = std::any_of(listeners->begin(), listeners->end(), [&](std::uint64_t inode) {
    return std::find(baseline.begin(), baseline.end(), inode) == baseline.end();
  });
  finding.owner = appeared && !own.all_readable ? SocketOwner::kAppearedUnreadable : SocketOwner::kForeign;
  return finding;
}

}  // namespace antifreeze::host
