// Records that others keep: login accounting, package history, the gate's log, what the machine can notice at all.
#include <algorithm>

#include "autopsy/root_sources.h"
#include "core/json_tree.h"
#include "core/text.h"
#include "readings/date.h"
#include "readings/wtmp.h"

namespace antifreeze::autopsy {
namespace {

constexpr std::size_t kMaxLog = std::size_t{4} << 20;
constexpr std::size_t kMaxChanges = 2000;

std::string kind_of_package(std::string_view name) {
  if (name.starts_with("linux-image") || name.starts_with("linux-modules") || name.starts_with("linux-nvidia"))
    return "kernel";
  if (name.starts_with("nvidia-") || name.starts_with("libnvidia") || name.starts_with("cuda-drivers")) return "driver";
  if (name.find("firmware") != std::string_view::npos || name.find("microcode") != std::string_view::npos)
    return "firmware";
  if (name.starts_with("docker") || name.starts_with("containerd") || name.starts_with("runc")) return "docker";
  return "";
}

}  // namespace

void read_wtmp(RootReader& root, RootFindings& into) {
  for (const char* name : {"var/log/wtmp.1", "var/log/wtmp"}) {
    const auto content = root.read(name, kMaxLog, "boots and orderly ends are counted from the journal alone");
    if (!content) continue;
    for (auto& record : readings::parse_wtmp(*content)) into.wtmp.push_back(std::move(record));
  }
}

void read_packages(RootReader& root, RootFindings& into) {
  for (const char* name : {"var/log/dpkg.log.1", "var/log/dpkg.log"}) {
    const auto content = root.read(name, kMaxLog, "changes of driver and kernel are not known");
    if (!content) continue;
    std::string_view rest = *content;
    while (auto line = core::next_line(rest)) {
      // 2026-11-30 20:21:07 upgrade nvidia-driver-580:arm64 580.95 580.142
      const auto words = core::split_words(*line);
      if (words.size() < 6 || (words[2] != "upgrade" && words[2] != "install" && words[2] != "remove")) continue;
      const std::string kind = kind_of_package(words[3]);
      const auto wall = readings::parse_iso_time(std::string(words[0]) + "T" + std::string(words[1]));
      if (kind.empty() || !wall || into.changes.size() >= kMaxChanges) continue;
      into.changes.push_back(
          {*wall, kind,
           core::printable(std::string(words[3]) + " " + std::string(words[4]) + " -> " + std::string(words[5]), 120)});
    }
  }
}

void read_limits(RootReader& root, RootFindings& into) {
  const auto sysctl = [&](const char* name) -> std::optional<std::int64_t> {
    const auto text = root.read(std::string("proc/sys/kernel/") + name, 64, "");
    return text ? core::parse_int(core::trim(*text)) : std::nullopt;
  };
  if (const auto hung = sysctl("hung_task_timeout_secs")) {
    into.detectors.push_back(*hung > 0 ? "hung tasks are reported after " + std::to_string(*hung) + " s"
                                       : "hung tasks are not reported (kernel.hung_task_timeout_secs is 0)");
  }
  if (const auto soft = sysctl("soft_watchdog"); soft && *soft == 0)
    into.detectors.emplace_back("soft lockups are not reported");
  if (const auto nmi = sysctl("nmi_watchdog"); nmi && *nmi == 0)
    into.detectors.emplace_back("hard lockups are not reported (kernel.nmi_watchdog is 0)");
}

void read_names(RootReader& root, RootFindings& into) {
  if (const auto host = root.read("etc/hostname", 256, "the machine's name is not known"))
    into.hosts.emplace_back(core::trim(*host));
  const auto accounts = root.read("etc/passwd", std::size_t{1} << 20, "whose accounts are on the machine is not known");
  if (!accounts) return;
  std::string_view rest = *accounts;
  while (const auto line = core::next_line(rest)) {
    const auto parts = core::split(*line, ':');
    // useradd(8) gives people 1000 and more; 65534 is nobody, systemd's own start at 60000.
    const auto uid = parts.size() > 2 ? core::parse_int(parts[2]) : std::nullopt;
    if (uid && *uid >= 1000 && *uid < 60000) into.users.emplace_back(parts[0]);
  }
}

void read_gate_log(RootReader& root, RootFindings& into) {
  for (const char* name :
       {"var/lib/antifreeze/gate/log.jsonl.1", "var/lib/antifreeze/gate/log.jsonl", "run/antifreeze/gate/log.jsonl"}) {
    const auto content = root.read(name, kMaxLog, "who was starting is not known");
    if (!content) continue;
    std::string_view rest = *content;
    while (auto line = core::next_line(rest)) {
      const auto event = core::JsonTree::parse(std::string(*line));
      if (!event) continue;  // any container may write there
      const auto field = [&](std::string_view key) -> std::string {
        const auto member = event->member(event->root(), key);
        const auto text = member ? event->string(*member) : std::nullopt;
        return text ? core::printable(*text, 80) : "";
      };
      const std::string state = field("state");
      if (state != "starting" && state != "settling" && state != "ready") continue;
      std::string boot = field("boot_id");
      std::erase(boot, '-');
      if (boot.size() != 32) continue;
      Finding finding;
      finding.about = About::kBootId;
      finding.boot_id = boot;
      finding.evidence.source = Source::kGateLog;
      finding.evidence.id = "gate." + state;
      finding.evidence.fields["service"] = field("service");
      finding.evidence.line = field("service") + ": " + state;
      into.findings.push_back(std::move(finding));
    }
  }
}

}  // namespace antifreeze::autopsy
