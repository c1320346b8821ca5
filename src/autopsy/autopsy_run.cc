#include "autopsy/autopsy_run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "autopsy/assemble.h"
#include "autopsy/decide.h"
#include "autopsy/observe.h"
#include "autopsy/read_text.h"
#include "core/text.h"
#include "journal/journal_source.h"
#include "signs/matcher.h"

namespace antifreeze::autopsy {
namespace {

core::Result<std::vector<Boot>> read_journal(const Places& places, const signs::Catalogue& catalogue,
                                             const signs::Matcher& matcher, const std::function<void(double)>& progress,
                                             Report& report, Surroundings& around) {
  journal::JournalPlace place;
  if (places.journal) {
    place.directory = places.journal;
  } else if (!places.files.empty()) {
    place.files = places.files;
  } else {
    place.root = places.root;
  }
  std::vector<Boot> boots;
  std::unique_ptr<Observer> observer;
  std::string current;
  const auto close = [&] {
    if (observer) boots.push_back(observer->finish());
    observer.reset();
  };
  auto health = journal::for_each_entry(
      place,
      [&](const journal::BootEntry& entry) {
        if (!observer || entry.boot_id != current) {
          close();
          current = entry.boot_id;
          observer = std::make_unique<Observer>(catalogue, matcher, current);
        }
        observer->add(entry.entry);
        return true;
      },
      progress);
  close();
  if (!health) return std::move(health).error();
  for (std::string& line : health->unreadable) report.cannot_read.push_back(std::move(line));
  around.volatile_journal = health->is_volatile;
  if (health->no_permission) {
    report.cannot_read.emplace_back(
        "some journal files are not ours to read: earlier boots may be missing; run it with sudo, or join the group "
        "systemd-journal");
  }
  if (health->is_volatile) {
    report.cannot_read.emplace_back(
        "the journal lives in memory only: earlier boots are gone; to keep it: sudo mkdir -p /var/log/journal && sudo "
        "systemctl "
        "restart systemd-journald");
  }
  if (health->files == 0 && !health->no_permission) {
    report.cannot_read.emplace_back(
        "there is no journal here: boots and their ends cannot be told; give a text log with --log, or another place "
        "with --journal or --root");
  }
  return boots;
}

void number(Report& report) {
  int index = 0;
  for (auto it = report.boots.rbegin(); it != report.boots.rend(); ++it) {
    it->index = it->boot.is_capture_kernel ? 1 : index--;
  }
}

}  // namespace

core::Result<Report> run_autopsy(const Places& places, const signs::Catalogue& catalogue,
                                 const std::function<void(double)>& progress) {
  auto matcher = signs::Matcher::build(catalogue);
  if (!matcher) return std::move(matcher).error();
  Report report;
  Surroundings around;
  std::vector<Boot> boots;
  if (!places.logs.empty()) {
    auto text = read_text(places.logs, places.year, catalogue, *matcher, progress);
    if (!text) return std::move(text).error();
    around.is_text = true;
    around.filtered = text->filtered;
    RootFindings nothing;
    nothing.running_boot_id = "";  // no boot of a text log is taken for the running one
    boots = assemble(std::move(text->boots), nothing, catalogue);
  } else {
    auto read = read_journal(places, catalogue, *matcher, progress, report, around);
    if (!read) return std::move(read).error();
    const bool whole_machine = !places.journal && places.files.empty();
    RootFindings root;
    if (whole_machine) root = read_root(places.root);
    for (std::string& line : root.cannot_read) report.cannot_read.push_back(std::move(line));
    around.changes = root.changes;
    around.detectors = root.detectors;
    report.hosts = root.hosts;
    report.users = root.users;
    boots = assemble(std::move(*read), root, catalogue);
  }
  for (const Boot& boot : boots) {
    for (const std::string& host : boot.hosts) {
      if (std::find(report.hosts.begin(), report.hosts.end(), host) == report.hosts.end()) report.hosts.push_back(host);
    }
  }
  const HostNormal normal(boots, catalogue);
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < boots.size(); ++i) verdicts.push_back(decide(boots, i, catalogue, normal, around));
  for (std::size_t i = 0; i < boots.size(); ++i)
    report.boots.push_back({0, std::move(boots[i]), std::move(verdicts[i])});
  number(report);
  return report;
}

}  // namespace antifreeze::autopsy
