// Crash records: pstore, kdump, the hardware watchdog's word.
#include <algorithm>

#include "autopsy/root_sources.h"
#include "core/text.h"
#include "readings/crash_dump.h"

namespace antifreeze::autopsy {
namespace {

using readings::CrashDump;

constexpr std::size_t kMaxRecord = std::size_t{4} << 20;
constexpr unsigned kCardReset = 0x20;  // WDIOF_CARDRESET, linux/watchdog.h
constexpr unsigned kOverheat = 0x01;   // WDIOF_OVERHEAT

constexpr std::int64_t kEarliest = 1'100'000'000;  // 2004: no pstore was older
constexpr std::int64_t kLatest = 4'200'000'000;    // 2103

// When a record was written, by the folder that systemd-pstore (src/pstore/pstore.c) made for it. An EFI record's
// folder is named after the seconds since 1970. An ERST record's is its id without the last six digits, and that id has
// the seconds in its upper half (cper_next_record_id in drivers/firmware/efi/cper.c). nullopt for other names.
std::optional<core::WallTime> time_of_folder(std::string_view name) {
  const auto number = core::parse_int(name);
  if (!number || *number < kEarliest || *number >= (kLatest / 1'000'000) << 32) return std::nullopt;
  const std::int64_t seconds = *number <= kLatest ? *number : *number * 15625 >> 26;  // × 10⁶ / 2³²
  if (seconds < kEarliest) return std::nullopt;
  return core::WallTime{seconds * 1'000'000'000};
}

void add_record(RootReader& root, const std::string& path, std::optional<core::WallTime> wall, RootFindings& into) {
  const auto content = root.read(path, kMaxRecord, "a crash record is lost");
  if (!content || content->empty()) return;
  CrashDump dump = readings::parse_crash_dump(*content);
  if (dump.why == CrashDump::Why::kShutdown) return;
  Finding finding;
  finding.about = About::kContent;
  finding.evidence.source = Source::kPstore;
  finding.evidence.wall = wall;
  finding.evidence.id = dump.why == CrashDump::Why::kPanic ? "pstore.panic" : "pstore.oops";
  finding.evidence.strength = dump.why == CrashDump::Why::kPanic ? 1.0 : 0.4;
  finding.evidence.failure_class = dump.why == CrashDump::Why::kPanic ? "panic" : "oops";
  finding.evidence.ending = dump.why == CrashDump::Why::kPanic ? "panic" : "";
  finding.evidence.line = "/" + core::printable(path, 160);
  for (const std::string& line : dump.lines) {
    if (!line.starts_with("Kernel panic - not syncing: ")) continue;
    finding.evidence.line = line;
    finding.evidence.fields["reason"] = line.substr(28);
  }
  finding.lines = std::move(dump.lines);
  into.findings.push_back(std::move(finding));
}

void read_folder(RootReader& root, const std::string& folder, int depth, std::optional<core::WallTime> wall,
                 RootFindings& into) {
  const auto names = root.list(folder, "crash records are not seen");
  // systemd-pstore joins the parts into dmesg.txt; the parts lie beside it.
  const bool joined = std::find(names.begin(), names.end(), "dmesg.txt") != names.end();
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    if (name == "dmesg.txt" || (!joined && name.starts_with("dmesg-"))) {
      add_record(root, path, wall, into);
    } else if (depth > 0 && !name.starts_with("dmesg") && name.find('.') == std::string::npos) {
      const auto time = time_of_folder(name);
      read_folder(root, path, depth - 1, time ? time : wall, into);
    }
  }
}

// "202611302021": kdump-tools' folder, the local time of the capture kernel. UTC is assumed: an error of hours still
// lies within the boot that follows.
std::optional<core::WallTime> time_of_dump(std::string_view name) {
  if (name.size() < 12 || name.substr(0, 12).find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  const auto part = [&](std::size_t at, std::size_t size) {
    return static_cast<int>(*core::parse_int(name.substr(at, size)));
  };
  const std::chrono::year_month_day day(std::chrono::year(part(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(part(4, 2))),
                                        std::chrono::day(static_cast<unsigned>(part(6, 2))));
  if (!day.ok()) return std::nullopt;
  const auto at = std::chrono::sys_days(day) + std::chrono::hours(part(8, 2)) + std::chrono::minutes(part(10, 2));
  return core::WallTime{std::chrono::nanoseconds(at.time_since_epoch()).count()};
}

}  // namespace

void read_pstore(RootReader& root, RootFindings& into) {
  read_folder(root, "sys/fs/pstore", 0, std::nullopt, into);
  read_folder(root, "var/lib/systemd/pstore", 2, std::nullopt, into);
}

void read_kdump(RootReader& root, RootFindings& into) {
  for (const std::string& name : root.list("var/crash", "crash dumps are not seen")) {
    const auto wall = time_of_dump(name);
    if (!wall && !name.starts_with("127.0.0.1-")) continue;  // kdump-tools', then kdump's own naming
    const std::string folder = "var/crash/" + name;
    Finding finding;
    finding.about = About::kBeforeTime;
    finding.evidence.source = Source::kKdump;
    finding.evidence.wall = wall;
    finding.evidence.strength = 0.9;
    finding.evidence.ending = "panic";
    finding.evidence.failure_class = "kdump_incomplete";
    finding.evidence.id = "kdump.incomplete";
    finding.evidence.line = "/" + folder + ": a capture kernel ran, and no dump with content was written";
    for (const std::string& file : root.list(folder, "a crash dump is not seen")) {
      if (file.find("dmesg") == std::string::npos) continue;
      const auto content = root.read(folder + "/" + file, kMaxRecord, "a crash dump's messages are lost");
      if (!content || content->empty()) continue;
      CrashDump dump = readings::parse_crash_dump(*content);
      finding.about = About::kContent;
      finding.evidence.id = "kdump.dmesg";
      finding.evidence.failure_class = "panic";
      finding.evidence.strength = 1;
      finding.evidence.line = "/" + folder + "/" + file;
      for (const std::string& line : dump.lines) {
        if (!line.starts_with("Kernel panic - not syncing: ")) continue;
        finding.evidence.line = line;
        finding.evidence.fields["reason"] = line.substr(28);
      }
      finding.lines = std::move(dump.lines);
    }
    into.findings.push_back(std::move(finding));
  }
}

void read_watchdog(RootReader& root, RootFindings& into) {
  for (const std::string& name : root.list("sys/class/watchdog", "a reset by the watchdog is not seen")) {
    const std::string folder = "sys/class/watchdog/" + name;
    const auto status = root.read(folder + "/bootstatus", 64, "a reset by the watchdog is not seen");
    if (!status) continue;
    const auto bits = core::parse_uint(core::trim(*status));
    if (!bits || (*bits & (kCardReset | kOverheat)) == 0) continue;
    const auto identity = root.read(folder + "/identity", 256, "");
    Finding finding;
    finding.about = About::kBeforeRunning;
    finding.evidence.source = Source::kWatchdog;
    finding.evidence.id = "watchdog.bootstatus";
    finding.evidence.strength = 0.9;
    finding.evidence.ending = (*bits & kOverheat) != 0 ? "thermal" : "watchdog_reset";
    finding.evidence.failure_class = (*bits & kOverheat) != 0 ? "thermal" : "watchdog";
    finding.evidence.line = "/" + folder + "/bootstatus is " + std::to_string(*bits) + " (" +
                            (identity ? core::printable(core::trim(*identity), 60) : "unknown watchdog") + ")";
    into.findings.push_back(std::move(finding));
  }
}

}  // namespace antifreeze::autopsy
