// The processes of this machine (or container), read from a /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fd.h"
#include "core/result.h"
#include "readings/net_sockets.h"

namespace antifreeze::host {

/// One process. `pid` and `starttime_ticks` together name it for as long as the boot lasts.
struct ProcInfo {
  pid_t pid = 0;
  pid_t ppid = 0;
  std::string comm;  ///< any bytes: print only through core::printable
  char state = '?';  ///< R, S, D (does not even react to SIGKILL), T (stopped), Z (zombie) …
  std::uint64_t starttime_ticks = 0;

  friend bool operator==(const ProcInfo&, const ProcInfo&) = default;
};

/// What several processes have used together. Processes that are gone count nothing, so a sum may also fall: whoever
/// looks for progress looks for change.
struct TreeUsage {
  std::uint64_t cpu_ticks = 0;
  /// read() and write() as well as what storage really moved: reads from the page cache show in the one only, page
  /// faults of mapped files in the other only. A figure to be compared with itself. Absent where no process let us
  /// look.
  std::optional<std::uint64_t> io_bytes;
  std::uint64_t rss_bytes = 0;
};

class ProcTree {
 public:
  virtual ~ProcTree() = default;
  /// kNotFound when there is no such process.
  [[nodiscard]] virtual core::Result<ProcInfo> process(pid_t pid) const = 0;
  /// Everything below `root`, at any depth, without `root`; in order of pid. A process whose parent died hangs below
  /// its subreaper, or below PID 1. Processes that begin or end meanwhile may be missing.
  [[nodiscard]] virtual std::vector<ProcInfo> descendants(pid_t root) const = 0;
  [[nodiscard]] virtual TreeUsage usage(std::span<const pid_t> pids) const = 0;
  /// Inodes of the sockets that `pid` has open, sorted. kPermission where we may not look (another uid, no
  /// capabilities), kNotFound when it is gone.
  [[nodiscard]] virtual core::Result<std::vector<std::uint64_t>> socket_inodes(pid_t pid) const = 0;
  /// TCP sockets that listen on `port`, IPv4 and IPv6, in the network namespace of `pid` (0: ours).
  [[nodiscard]] virtual core::Result<std::vector<readings::InetSocket>> tcp_listeners(std::uint16_t port,
                                                                                      pid_t pid = 0) const = 0;
  /// Inodes of unix sockets that listen at exactly `path` ("@name": abstract), in the same namespace.
  [[nodiscard]] virtual core::Result<std::vector<std::uint64_t>> unix_listeners(std::string_view path,
                                                                                pid_t pid = 0) const = 0;
  /// Value of a variable as the process was started with it; nullopt when it has none. kPermission as above.
  [[nodiscard]] virtual core::Result<std::optional<std::string>> environment_value(pid_t pid,
                                                                                   std::string_view key) const = 0;
  /// Processes that we may look into and that were started with KEY=VALUE, in order of pid.
  [[nodiscard]] virtual std::vector<pid_t> find_by_environment(std::string_view key, std::string_view value) const = 0;
  /// Direct children, in order of pid, zombies included. One may be missing while another exits (proc(5), "children"):
  /// ask again until wait(2) says that there are none.
  [[nodiscard]] virtual std::vector<pid_t> children(pid_t pid) const = 0;
};

/// Reads a real /proc, or a captured one.
class RealProcTree final : public ProcTree {
 public:
  static core::Result<std::unique_ptr<RealProcTree>> open(const std::string& proc_root = "/proc");

  [[nodiscard]] core::Result<ProcInfo> process(pid_t pid) const override;
  [[nodiscard]] std::vector<ProcInfo> descendants(pid_t root) const override;
  [[nodiscard]] TreeUsage usage(std::span<const pid_t> pids) const override;
  [[nodiscard]] core::Result<std::vector<std::uint64_t>> socket_inodes(pid_t pid) const override;
  [[nodiscard]] core::Result<std::vector<readings::InetSocket>> tcp_listeners(std::uint16_t port,
                                                                              pid_t pid) const override;
  [[nodiscard]] core::Result<std::vector<std::uint64_t>> unix_listeners(std::string_view path,
                                                                        pid_t pid) const override;
  [[nodiscard]] core::Result<std::optional<std::string>> environment_value(pid_t pid,
                                                                           std::string_view key) const override;
  [[nodiscard]] std::vector<pid_t> find_by_environment(std::string_view key, std::string_view value) const override;
  [[nodiscard]] std::vector<pid_t> children(pid_t pid) const override;

 private:
  RealProcTree(core::Fd root, std::uint64_t page_bytes) : root_(std::move(root)), page_bytes_(page_bytes) {}

  /// Calls `visit(pid)` for each process, in the order of the directory.
  template <typename Visit>
  void each_pid(Visit visit) const;
  template <typename Visit>
  [[nodiscard]] core::Status read_table(pid_t pid, std::string_view file, Visit visit) const;
  bool read_children_files(pid_t pid, std::vector<pid_t>& found) const;
  [[nodiscard]] core::Result<std::string> read(pid_t pid, std::string_view file, std::size_t max) const;

  core::Fd root_;
  std::uint64_t page_bytes_;
};

}  // namespace antifreeze::host
