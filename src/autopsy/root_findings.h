// What lies on the disk besides the log: crash records, login accounting, watchdog state, package history, gate log.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autopsy/autopsy_types.h"
#include "core/result.h"
#include "core/time.h"
#include "readings/wtmp.h"

namespace antifreeze::autopsy {

/// How a finding is tied to a boot.
enum class About : std::uint8_t {
  kBootId,         ///< `boot_id` says so
  kContent,        ///< the boot whose log has the same messages as `lines`; else as kBeforeTime, else kBeforeRunning
  kBeforeTime,     ///< the boot before the one that ran at `evidence.wall`: a capture kernel writes its dump then
  kBeforeRunning,  ///< the boot before the one that is running (or was, when the root was captured)
};

struct Finding {
  About about = About::kBeforeRunning;
  std::string boot_id;  ///< with kBootId
  Evidence evidence;
  std::vector<std::string> lines;  ///< a crash record's messages: they tell which boot it is about
};

/// A change of software, or something that was started: for "before or after which change" and "near a timer".
struct Change {
  core::WallTime wall;
  std::string kind;  ///< "driver", "kernel", "firmware", "docker", "package"
  std::string text;  ///< "nvidia-driver-580 580.95 -> 580.142", printable
};

/// A line of a container's own log.
struct SaidLine {
  core::WallTime wall;
  std::string text;  ///< bounded, printable
};

/// The end of a container's own log, oldest line first.
struct Said {
  std::string container;
  std::vector<SaidLine> lines;
};

struct RootFindings {
  std::vector<readings::WtmpRecord> wtmp;
  std::vector<Finding> findings;
  std::vector<Change> changes;
  std::vector<Said> said;
  std::vector<std::string> hosts;              ///< etc/hostname
  std::vector<std::string> users;              ///< people's accounts in etc/passwd
  std::optional<std::string> running_boot_id;  ///< of proc/sys/kernel/random/boot_id below the root
  std::vector<std::string>
      detectors;  ///< "hung_task after 120 s", "no hard lockup detector": so that silence can be weighed
  std::vector<std::string> cannot_read;  ///< one line each: what, why, what that costs
};

/// Reads everything below `root` ("/" for this machine). Never fails as a whole: what cannot be read is said.
RootFindings read_root(const std::string& root);

}  // namespace antifreeze::autopsy
