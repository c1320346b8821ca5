#include "autopsy/assemble.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "autopsy/end_marks.h"

namespace antifreeze::autopsy {
namespace {

using readings::WtmpRecord;
using signs::Role;

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
// The kernel looks into all banks when it brings the CPUs up; what is in them then is left over.
constexpr std::int64_t kLeftoverNs = 10 * kNsPerSecond;
// wtmp is written some time after the kernel's first line, and the clock may be set in between.
constexpr std::int64_t kSameBootNs = 600 * kNsPerSecond;

bool is_capture_kernel(const Boot& boot, const signs::Catalogue& catalogue) {
  const Tally* tally = find_tally(boot, catalogue, "k.cmdline");
  if (tally == nullptr) return false;
  for (const Hit& hit : tally->first) {
    const std::string& line = hit.line;
    if (line.find("kdump") != std::string::npos) return true;
    if (line.find("reset_devices") != std::string::npos && line.find("nr_cpus=1") != std::string::npos) return true;
    if (line.find("reset_devices") != std::string::npos && line.find("maxcpus=1") != std::string::npos) return true;
  }
  return false;
}

// The boot before `index` that counts, or none.
Boot* before(std::vector<Boot>& boots, std::size_t index) {
  while (index > 0) {
    if (!boots[--index].is_capture_kernel) return &boots[index];
  }
  return nullptr;
}

Source source_of(const std::string& id) {
  if (id == "ras.bert") return Source::kBert;
  if (id.starts_with("prev.amd.")) return Source::kResetReason;
  if (id == "prev.wdt.arm") return Source::kWatchdog;
  if (id == "prev.kdump") return Source::kKdump;
  if (id == "prev.pstore") return Source::kPstore;
  return Source::kFileSystem;
}

Evidence evidence_of(const Tally& tally, const signs::Sign& sign) {
  Evidence out;
  const Hit& hit = tally.first.front();
  out.source = source_of(sign.id);
  out.id = sign.id;
  out.wall = hit.wall;
  out.strength = sign.strength;
  out.line = hit.line;
  out.fields = hit.fields;
  out.ending = sign.ending;
  out.failure_class = sign.failure_class;
  return out;
}

// A BERT block says by its fields what it is about: memory, a bus, a corrected trifle.
void weigh_bert(Evidence& bert) {
  const auto field = [&](const char* name) {
    const auto at = bert.fields.find(name);
    return at == bert.fields.end() ? std::string() : at->second;
  };
  const std::string section = field("section");
  if (section.find("PCIe") != std::string::npos) {
    bert.ending = "pcie";
    bert.failure_class = "pcie_fatal";
  } else if (section.find("memory") != std::string::npos) {
    bert.failure_class = "hw_memory_error";
  }
  if (field("severity") == "corrected" || field("type") == "corrected") {
    bert.strength = 0.1;
    bert.ending.clear();
  }
}

// Whether a machine check was uncorrected: bit 61 (UC) of the bank's status (Intel SDM 3B 15.3.2.2, AMD64 APM 2 9.3.2).
void weigh_machine_check(Evidence& check) {
  const auto status = check.fields.find("status");
  std::uint64_t bits = 0;
  if (status != check.fields.end())
    std::from_chars(status->second.data(), status->second.data() + status->second.size(), bits, 16);
  if (((bits >> 61) & 1) == 1) return;
  check.strength = 0.1;
  check.ending.clear();
}

// Moves what a boot says about the one before it. Records that some firmware repeats at each boot are one finding.
void book_previous(std::vector<Boot>& boots, const signs::Catalogue& catalogue) {
  std::map<std::string, std::vector<std::size_t>> repeated;  // a BERT block's fields -> boots that print it
  for (std::size_t i = 0; i < boots.size(); ++i) {
    if (boots[i].is_capture_kernel) continue;
    for (const Tally& tally : boots[i].tallies) {
      const signs::Sign& sign = catalogue.signs[tally.sign];
      if (!is_about_previous(tally, sign) || tally.first.empty()) continue;
      Evidence evidence = evidence_of(tally, sign);
      if (sign.role != Role::kPrevious) weigh_machine_check(evidence);
      if (sign.id == "ras.bert") {
        weigh_bert(evidence);
        std::string key;
        for (const auto& [name, value] : evidence.fields) key += name + "=" + value + ";";
        repeated[key].push_back(i);
        continue;
      }
      if (Boot* about = before(boots, i)) about->evidence.push_back(std::move(evidence));
    }
    std::erase_if(boots[i].tallies, [&](const Tally& tally) {
      const signs::Sign& sign = catalogue.signs[tally.sign];
      return sign.role != Role::kPrevious && is_about_previous(tally, sign);
    });
  }
  for (const auto& [key, printers] : repeated) {
    // The latest boot that did not end in order before one that prints the record; else the one before the first.
    Boot* about = nullptr;
    const Boot* printer = nullptr;
    for (const std::size_t i : printers) {
      Boot* candidate = before(boots, i);
      if (candidate == nullptr) continue;
      const EndMarks marks = end_marks(*candidate, catalogue);
      if (about == nullptr || !marks.stopped) {
        about = candidate;
        printer = &boots[i];
      }
    }
    if (about == nullptr) continue;
    const Tally* tally = find_tally(*printer, catalogue, "ras.bert");
    Evidence evidence = evidence_of(*tally, catalogue.signs[tally->sign]);
    weigh_bert(evidence);
    if (printers.size() > 1) evidence.fields["repeated_in_boots"] = std::to_string(printers.size());
    about->evidence.push_back(std::move(evidence));
  }
}

void add_wtmp(std::vector<Boot>& boots, const std::vector<WtmpRecord>& wtmp) {
  if (boots.empty()) return;
  const auto oldest = boots.front().first;
  if (!oldest) return;
  std::vector<const WtmpRecord*> events;
  for (const WtmpRecord& record : wtmp) {
    if (record.wall.ns + kSameBootNs < oldest->ns) continue;  // from before the journal: vacuumed
    if (record.kind == WtmpRecord::Kind::kBoot || record.kind == WtmpRecord::Kind::kShutdown) events.push_back(&record);
  }
  std::set<const Boot*> matched;
  for (const WtmpRecord* record : events) {
    if (record->kind == WtmpRecord::Kind::kShutdown) {
      // The boot that was running then.
      Boot* about = nullptr;
      for (Boot& boot : boots) {
        if (boot.first && boot.first->ns <= record->wall.ns && !boot.is_capture_kernel) about = &boot;
      }
      if (about != nullptr && about->last && record->wall.ns <= about->last->ns + kSameBootNs) {
        about->evidence.push_back(
            {Source::kWtmp, "wtmp.shutdown", record->wall, 0.5, "wtmp has an orderly shutdown", {}, "clean", ""});
      }
      continue;
    }
    const bool known = std::any_of(boots.begin(), boots.end(), [&](const Boot& boot) {
      return boot.first && boot.last && record->wall.ns + kSameBootNs >= boot.first->ns &&
             record->wall.ns <= boot.last->ns + kNsPerSecond;
    });
    if (known) continue;
    Boot lost;
    lost.in_journal = false;
    lost.first = record->wall;
    lost.blind.emplace_back("no line of this boot reached the journal; wtmp alone knows of it");
    const auto place = std::find_if(boots.begin(), boots.end(),
                                    [&](const Boot& boot) { return boot.first && boot.first->ns > record->wall.ns; });
    if (place == boots.end()) continue;  // the boot that runs now and has not been flushed yet
    boots.insert(place, std::move(lost));
  }
}

// Texts of a boot's last kernel lines that stand in a crash record too: those before the crash do.
std::set<std::string> common_lines(const Boot& boot, const std::set<std::string>& lines) {
  std::set<std::string> common;
  for (const TailLine& tail : boot.tail) {
    if (tail.origin == readings::LogOrigin::kKernel && lines.contains(tail.text)) common.insert(tail.text);
  }
  return common;
}

// Boots of one machine share most lines: what stands in one boot alone decides, then how many are shared, then the
// later boot.
Boot* by_content(std::vector<Boot>& boots, const Finding& finding) {
  std::set<std::string> lines;
  for (const std::string& line : finding.lines) lines.insert(line.substr(0, 240));
  std::vector<std::pair<Boot*, std::set<std::string>>> candidates;
  std::map<std::string, int> boots_with;
  for (Boot& boot : boots) {
    if (boot.is_capture_kernel) continue;
    candidates.emplace_back(&boot, common_lines(boot, lines));
    for (const std::string& line : candidates.back().second) ++boots_with[line];
  }
  Boot* best = nullptr;
  std::pair<std::ptrdiff_t, std::size_t> most;
  for (const auto& [boot, common] : candidates) {
    if (common.size() < 3) continue;
    const auto own =
        std::count_if(common.begin(), common.end(), [&](const auto& line) { return boots_with[line] == 1; });
    const std::pair<std::ptrdiff_t, std::size_t> score{own, common.size()};
    if (best != nullptr && score < most) continue;
    most = score;
    best = boot;
  }
  return best;
}

Boot* by_time(std::vector<Boot>& boots, std::optional<core::WallTime> wall, bool before_it) {
  if (!wall) return nullptr;
  Boot* running_then = nullptr;
  std::size_t index = 0;
  for (std::size_t i = 0; i < boots.size(); ++i) {
    if (boots[i].first && boots[i].first->ns <= wall->ns + 60 * kNsPerSecond) {
      running_then = &boots[i];
      index = i;
    }
  }
  if (running_then == nullptr || (!before_it && !running_then->is_capture_kernel)) return running_then;
  return before(boots, index);
}

Boot* last_ended(std::vector<Boot>& boots) {
  for (std::size_t i = boots.size(); i-- > 0;) {
    if (!boots[i].is_running && !boots[i].is_capture_kernel) return &boots[i];
  }
  return nullptr;
}

// The boot whose log stopped nearest to a crash record's time: journald loses minutes at most.
Boot* by_end(std::vector<Boot>& boots, std::optional<core::WallTime> wall) {
  Boot* best = nullptr;
  std::int64_t nearest_ns = 10 * 60 * kNsPerSecond;
  for (Boot& boot : boots) {
    if (!wall || !boot.first || !boot.last || boot.is_capture_kernel || boot.first->ns > wall->ns) continue;
    const std::int64_t distance_ns = std::abs(wall->ns - boot.last->ns);
    if (distance_ns > nearest_ns) continue;
    nearest_ns = distance_ns;
    best = &boot;
  }
  return best;
}

Boot* about(std::vector<Boot>& boots, const Finding& finding) {
  switch (finding.about) {
    case About::kBootId:
      for (Boot& boot : boots) {
        if (boot.boot_id == finding.boot_id) return &boot;
      }
      return nullptr;
    case About::kBeforeTime: {
      Boot* boot = by_time(boots, finding.evidence.wall, true);
      return boot != nullptr ? boot : last_ended(boots);
    }
    case About::kContent:
      if (Boot* boot = by_end(boots, finding.evidence.wall)) return boot;
      if (Boot* boot = by_content(boots, finding)) return boot;
      if (Boot* boot = by_time(boots, finding.evidence.wall, false)) return boot;
      return last_ended(boots);
    case About::kBeforeRunning:
      return last_ended(boots);
  }
  return nullptr;
}

// A boot's containers may speak when journald cannot any more: what each said last within a quarter of an hour of the
// end.
void add_said(std::vector<Boot>& boots, const std::vector<Said>& said, const signs::Catalogue& catalogue) {
  constexpr std::int64_t kBeforeNs = 15 * 60 * kNsPerSecond;
  constexpr std::int64_t kAfterNs = 10 * 60 * kNsPerSecond;
  constexpr std::size_t kMostContainers = 8;
  for (std::size_t i = 0; i < boots.size(); ++i) {
    Boot& boot = boots[i];
    if (!boot.first || !boot.last || boot.is_running || boot.is_capture_kernel) continue;
    if (end_marks(boot, catalogue).stopped) continue;  // they were asked to
    std::int64_t until = boot.last->ns + kAfterNs;
    if (i + 1 < boots.size() && boots[i + 1].first) until = std::min(until, boots[i + 1].first->ns - 1);
    const std::int64_t since = std::max(boot.first->ns, boot.last->ns - kBeforeNs);
    std::vector<Evidence> last_words;
    for (const Said& one : said) {
      const auto line = std::find_if(one.lines.rbegin(), one.lines.rend(), [&](const SaidLine& each) {
        return each.wall.ns >= since && each.wall.ns <= until;
      });
      if (line == one.lines.rend()) continue;
      const std::int64_t seconds = (boot.last->ns - line->wall.ns) / kNsPerSecond;
      Evidence evidence;
      evidence.source = Source::kContainerLog;
      evidence.id = "container.last";
      evidence.wall = line->wall;
      evidence.line = one.container + ", " + std::to_string(std::abs(seconds)) + " s " +
                      (seconds < 0 ? "after" : "before") + " the journal's last line: " + line->text;
      evidence.fields["container"] = one.container;
      last_words.push_back(std::move(evidence));
    }
    std::stable_sort(last_words.begin(), last_words.end(),
                     [](const Evidence& a, const Evidence& b) { return a.wall->ns > b.wall->ns; });
    if (last_words.size() > kMostContainers) last_words.resize(kMostContainers);
    for (Evidence& evidence : last_words) boot.evidence.push_back(std::move(evidence));
  }
}

}  // namespace

bool is_about_previous(const Tally& tally, const signs::Sign& sign) {
  if (sign.role == Role::kPrevious) return true;
  return sign.id == "mce.hw" && !tally.last.empty() && tally.last.back().mono &&
         tally.last.back().mono->ns < kLeftoverNs;
}

std::vector<Boot> assemble(std::vector<Boot> observed, const RootFindings& root, const signs::Catalogue& catalogue) {
  std::vector<Boot> boots = std::move(observed);
  for (Boot& boot : boots) boot.is_capture_kernel = is_capture_kernel(boot, catalogue);
  if (root.running_boot_id) {
    for (Boot& boot : boots) boot.is_running = !boot.boot_id.empty() && boot.boot_id == *root.running_boot_id;
  }
  add_wtmp(boots, root.wtmp);
  // A copy without the running boot's id was taken from a machine that ran, or from a dead disk: without an orderly end
  // nobody can tell, and calling it a failure would be a guess.
  if (!root.running_boot_id && !boots.empty() && !end_marks(boots.back(), catalogue).stopped)
    boots.back().is_running = true;
  book_previous(boots, catalogue);
  for (const Finding& finding : root.findings) {
    if (Boot* boot = about(boots, finding)) boot->evidence.push_back(finding.evidence);
  }
  add_said(boots, root.said, catalogue);
  return boots;
}

}  // namespace antifreeze::autopsy
