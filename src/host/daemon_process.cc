#include "host/daemon_process.h"

#include <fcntl.h>
#include <signal.h>

#include <cerrno>

#include "core/text.h"
#include "host/dir.h"

namespace antifreeze::host {

std::optional<DaemonProcess> find_daemon(const std::string& pidfile, const std::string& name) {
  const auto text = read_file_at(AT_FDCWD, pidfile, 64);
  const auto pid = text ? core::parse_int(core::trim(*text)) : std::nullopt;
  if (!pid || *pid <= 1 || *pid > 4194304) return std::nullopt;
  const auto folder = open_dir(AT_FDCWD, "/proc/" + std::to_string(*pid));
  if (!folder) return std::nullopt;
  const auto comm = read_file_at(folder->get(), "comm", 64);
  const auto cmdline = read_file_at(folder->get(), "cmdline", 1 << 20);
  if (!comm || core::trim(*comm) != std::string_view(name).substr(0, 15) || !cmdline) return std::nullopt;
  DaemonProcess daemon;
  daemon.pid = static_cast<pid_t>(*pid);
  std::string_view words = *cmdline;
  if (words.ends_with('\0')) words.remove_suffix(1);
  for (const auto word : core::split(words, '\0')) daemon.argv.emplace_back(word);
  return daemon;
}

core::Status reload_daemon(const DaemonProcess& daemon) {
  if (::kill(daemon.pid, SIGHUP) == 0) return {};
  return core::errno_error("signalling process " + std::to_string(daemon.pid), errno);
}

}  // namespace antifreeze::host
