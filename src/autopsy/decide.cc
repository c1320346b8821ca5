#include "autopsy/decide.h"

#include <algorithm>
#include <set>

#include "autopsy/causes.h"
#include "autopsy/end_marks.h"
#include "autopsy/notes.h"
#include "autopsy/split_tests.h"
#include "autopsy/starting.h"

namespace antifreeze::autopsy {
namespace {

constexpr double kEnough = 0.2;            // a cause below that explains no ending
constexpr std::uint64_t kFewEntries = 15;  // so few lines say nothing by their silence

// The strongest item from outside the log that argues for an ending.
const Evidence* strongest(const Boot& boot) {
  const Evidence* best = nullptr;
  for (const Evidence& evidence : boot.evidence) {
    if (evidence.ending.empty() || evidence.ending == "clean" || evidence.strength < 0.3) continue;
    // Text of a panic says more than the watchdog that ended it, and both more than a bare capture kernel.
    const auto rank = [](const Evidence& e) { return e.strength + (e.ending == "panic" ? 0.05 : 0); };
    if (best == nullptr || rank(evidence) > rank(*best)) best = &evidence;
  }
  return best;
}

bool unclean_mark(const Boot& boot) {
  return std::any_of(boot.evidence.begin(), boot.evidence.end(),
                     [](const Evidence& e) { return e.failure_class == "unclean_previous"; });
}

// The cause behind a panic: its own reason, where that names one.
std::string class_of_reason(const std::string& reason) {
  const std::pair<const char*, const char*> known[] = {{"hung_task", "hung_task"},
                                                       {"softlockup", "soft_lockup"},
                                                       {"Hard LOCKUP", "hard_lockup"},
                                                       {"out of memory", "oom"},
                                                       {"Out of memory", "oom"},
                                                       {"machine check", "mce"},
                                                       {"Machine check", "mce"},
                                                       {"hardware error", "hw_memory_error"},
                                                       {"rcu", "rcu_stall"},
                                                       {"RCU", "rcu_stall"},
                                                       {"Fatal exception", "oops"},
                                                       {"SError", "hw_bus_error"},
                                                       {"Oops", "oops"}};
  for (const auto& [word, cause] : known) {
    if (reason.find(word) != std::string::npos) return cause;
  }
  return "panic";
}

Cause cause_of(const Evidence& evidence) {
  Cause cause;
  cause.id = evidence.failure_class;
  cause.score = evidence.strength;
  cause.fields = evidence.fields;
  cause.first_event.wall = evidence.wall;
  cause.first_event.line = evidence.line;
  cause.supports.push_back(evidence.line);
  if (const auto reason = evidence.fields.find("reason"); reason != evidence.fields.end())
    cause.id = class_of_reason(reason->second);
  return cause;
}

class Judge {
 public:
  Judge(const std::vector<Boot>& boots, std::size_t index, const signs::Catalogue& catalogue, const HostNormal& normal,
        const Surroundings& around)
      : boots_(boots),
        boot_(boots[index]),
        index_(index),
        catalogue_(catalogue),
        normal_(normal),
        around_(around),
        marks_(end_marks(boot_, catalogue)) {
    suspects_ = rank_causes(boot_, catalogue, normal);
  }

  Verdict verdict() {
    verdict_.notes = notes_of(boot_, catalogue_);
    verdict_.unknown = boot_.blind;
    if (boot_.is_running) {
      settle("running", 1);
    } else if (boot_.is_capture_kernel) {
      settle("clean", 0.9);
      verdict_.notes.push_back({"capture_kernel", "the crash kernel's own boot: not counted"});
    } else if (!by_order() && !by_panic() && !by_evidence() && !by_shutdown() && !by_log()) {
      without_a_trace();
    }
    finish();
    return std::move(verdict_);
  }

 private:
  void settle(std::string ending, double confidence) {
    verdict_.ending = std::move(ending);
    verdict_.confidence = confidence;
  }

  // The machine ended itself in order, because of heat or a lost supply.
  bool own_shutdown() {
    for (const Suspect& suspect : suspects_) {
      if ((suspect.ending != "thermal" && suspect.ending != "power") || suspect.cause.score < kEnough) continue;
      settle(suspect.ending, marks_.stopped || marks_.requested ? 0.95 : 0.85);
      take_causes(suspect.ending);
      return true;
    }
    return false;
  }

  bool by_order() {
    if (own_shutdown()) return true;
    if (!marks_.stopped && !(marks_.wtmp_shutdown && marks_.requested)) return false;
    if (find_evidence(boot_, "pstore.panic") != nullptr && !marks_.stopped) return false;
    settle("clean", marks_.clean() ? 0.99 : 0.9);
    return true;
  }

  bool by_panic() {
    const Tally* panic = find_tally(boot_, catalogue_, "k.panic");
    const Evidence* kept = find_evidence(boot_, "pstore.panic");
    if (kept == nullptr) kept = find_evidence(boot_, "kdump.dmesg");
    const Evidence* dump = find_evidence(boot_, "kdump.incomplete");
    const bool capture_followed = index_ + 1 < boots_.size() && boots_[index_ + 1].is_capture_kernel;
    if (panic == nullptr && kept == nullptr && dump == nullptr && !capture_followed) return by_oops();
    settle("panic", panic != nullptr || kept != nullptr ? 0.97 : 0.85);
    Cause cause;
    if (kept != nullptr) {
      cause = cause_of(*kept);
    } else if (panic != nullptr) {
      cause.first_event = panic->first.front();
      cause.fields = cause.first_event.fields;
      cause.supports.push_back(cause.first_event.line);
      const auto reason = cause.fields.find("reason");
      cause.id = reason == cause.fields.end() ? "panic" : class_of_reason(reason->second);
    } else if (dump != nullptr) {
      cause = cause_of(*dump);
    } else {
      cause.id = "panic";
      cause.supports.emplace_back("a capture kernel started right after this boot");
    }
    cause.score = 0.95;
    if (capture_followed) cause.supports.emplace_back("a capture kernel started right after this boot");
    // What the kernel had to say before it gave up comes first.
    for (const Suspect& suspect : suspects_) {
      if (suspect.cause.id == "panic" || suspect.cause.score < kEnough || suspect.cause.id == cause.id) continue;
      if (suspect.near_end >= 1 && suspect.cause.score >= 0.5) verdict_.causes.push_back(suspect.cause);
    }
    verdict_.causes.push_back(cause);
    if (cause.id != "panic" && cause.id != "kdump_incomplete") {
      Cause plain = cause;
      plain.id = "panic";
      plain.score = 0.9;
      verdict_.causes.push_back(std::move(plain));
    }
    if (dump != nullptr && cause.id != "kdump_incomplete") verdict_.causes.push_back(cause_of(*dump));
    if (kept == nullptr && panic == nullptr)
      verdict_.unknown.emplace_back("the panic's own text was not kept: where it happened is not known");
    return true;
  }

  // An oops ends a boot only when nothing ordinary follows it.
  bool by_oops() {
    for (const Suspect& suspect : suspects_) {
      if (suspect.cause.id != "oops" || suspect.near_end < 1) continue;
      const std::uint64_t after = boot_.entries - last_position("oops");
      if (after > 40) return false;
      settle("oops_reset", 0.85);
      take_causes("oops_reset");
      return true;
    }
    const Evidence* kept = find_evidence(boot_, "pstore.oops");
    if (kept == nullptr || find_tally(boot_, catalogue_, "k.oops") != nullptr ||
        find_tally(boot_, catalogue_, "k.oops.null") != nullptr)
      return false;
    settle("oops_reset", 0.7);
    verdict_.causes.push_back(cause_of(*kept));
    return true;
  }

  [[nodiscard]] std::uint64_t last_position(const std::string& failure_class) const {
    std::uint64_t last = 0;
    for (const Tally& tally : boot_.tallies) {
      if (catalogue_.signs[tally.sign].failure_class == failure_class && !tally.last.empty())
        last = std::max(last, tally.last.back().position);
    }
    return last;
  }

  bool by_evidence() {
    const Evidence* told = strongest(boot_);
    if (told == nullptr) return false;
    settle(told->ending, std::min(0.95, 0.5 + told->strength * 0.45));
    // What the boot itself said near its end may be the reason for the reset that the hardware reports.
    if (told->ending == "watchdog_reset" || told->ending == "lockup") take_causes("");
    Cause cause = cause_of(*told);
    if (!verdict_.causes.empty() && verdict_.causes.front().score < 0.3) {
      verdict_.causes.insert(verdict_.causes.begin(), cause);
    } else {
      verdict_.causes.push_back(cause);
    }
    if (told->ending != "watchdog_reset" && told->ending != "lockup") take_causes("");
    if (told->source == Source::kBert) {
      Cause bert = cause;
      if (bert.id != "bert") {
        bert.id = "bert";
        bert.score *= 0.9;
        verdict_.causes.insert(verdict_.causes.begin() + 1, std::move(bert));
      }
    }
    return true;
  }

  bool by_shutdown() {
    if (!marks_.requested) return false;
    // Asked for and never finished; without a sign that it went wrong it may only be that the last lines are missing.
    const bool stuck = find_tally(boot_, catalogue_, "end.stuck") != nullptr;
    if (!stuck && !unclean_mark(boot_) && (marks_.wtmp_shutdown || around_.is_text)) {
      settle("clean", 0.7);
      verdict_.unknown.emplace_back("the shutdown's last line is missing");
      return true;
    }
    settle("shutdown_hang", stuck ? 0.85 : 0.65);
    Cause cause;
    cause.id = "shutdown_hang";
    cause.score = stuck ? 0.8 : 0.5;
    if (marks_.first != nullptr) {
      cause.first_event = *marks_.first;
      cause.supports.push_back(marks_.first->line);
    }
    cause.supports.emplace_back("the end was asked for and the log stops before it was reached");
    take_causes("");
    verdict_.causes.push_back(std::move(cause));
    return true;
  }

  bool by_log() {
    if (suspects_.empty() || suspects_.front().cause.score < kEnough) return false;
    const Suspect* best = nullptr;
    for (const Suspect& suspect : suspects_) {
      if (!suspect.ending.empty() && suspect.cause.score >= kEnough) {
        best = &suspect;
        break;
      }
    }
    if (best == nullptr) return false;
    settle(best->ending, std::min(0.92, 0.35 + best->cause.score * 0.65));
    take_causes("");
    if (!best->fix.empty()) verdict_.fixes.push_back(best->fix);
    return true;
  }

  void take_causes(const std::string& first_ending) {
    for (const Suspect& suspect : suspects_) {
      if (!first_ending.empty() && suspect.ending == first_ending) verdict_.causes.push_back(suspect.cause);
    }
    for (const Suspect& suspect : suspects_) {
      if (first_ending.empty() || suspect.ending != first_ending) verdict_.causes.push_back(suspect.cause);
    }
  }

  void without_a_trace() {
    const bool last_of_text = around_.is_text && index_ + 1 == boots_.size();
    if (around_.filtered) {
      settle("insufficient_evidence", 0.5);
      verdict_.unknown.emplace_back("every line shares a word: the log was filtered, so its silence means nothing");
    } else if (boot_.entries < kFewEntries && boot_.in_journal) {
      settle("insufficient_evidence", 0.4);
      verdict_.unknown.emplace_back("only " + std::to_string(boot_.entries) + " lines are there");
    } else if (last_of_text && !unclean_mark(boot_)) {
      settle("insufficient_evidence", 0.5);
      verdict_.unknown.emplace_back(
          "the log ends without a shutdown; whether the machine did too, or only the excerpt, cannot be told");
    } else if (find_tally(boot_, catalogue_, "log.journald.killed") != nullptr) {
      settle("insufficient_evidence", 0.5);
      verdict_.unknown.emplace_back("journald had been killed: what came after it was not written");
    } else if (around_.volatile_journal) {
      settle("insufficient_evidence", 0.5);
      verdict_.unknown.emplace_back("the journal lives in memory only");
    } else {
      settle("traceless", boot_.in_journal ? 0.75 : 0.6);
      verdict_.tests = split_tests(boots_, index_, catalogue_, around_);
      verdict_.unknown.emplace_back(
          "journald writes to the disk every 5 minutes (SyncIntervalSec) unless told otherwise: the last minutes, "
          "warnings included, may never have reached it");
      verdict_.fixes.emplace_back("sync-interval");
    }
    for (const Suspect& suspect : suspects_) {
      if (suspect.cause.score >= 0.05) verdict_.notes.push_back({suspect.cause.id, suspect.cause.first_event.line});
    }
  }

  void finish() {
    std::set<std::string> seen;
    std::erase_if(verdict_.causes, [&](const Cause& cause) {
      const auto xid = cause.fields.find("xid");
      return !seen.insert(cause.id + (cause.id == "xid" && xid != cause.fields.end() ? xid->second : "")).second;
    });
    if (verdict_.causes.size() > 6) verdict_.causes.resize(6);
    const bool bad = verdict_.ending != "clean" && verdict_.ending != "running";
    if (!bad) {
      for (const Cause& cause : verdict_.causes) verdict_.notes.push_back({cause.id, cause.first_event.line});
      verdict_.causes.clear();
      verdict_.tests.clear();
    } else {
      verdict_.starting = starting_at_end(boot_, catalogue_);
      for (const std::string& detector : around_.detectors) verdict_.unknown.push_back(detector);
      for (const Cause& cause : verdict_.causes) add_fixes(cause.id);
      add_fixes(verdict_.ending);
    }
    std::set<std::string> told;
    std::erase_if(verdict_.unknown, [&](const std::string& line) { return !told.insert(line).second; });
  }

  void add_fixes(const std::string& for_what) {
    for (const signs::Fix& fix : catalogue_.fixes) {
      const bool helps =
          std::find(fix.failure_classes.begin(), fix.failure_classes.end(), for_what) != fix.failure_classes.end();
      const bool there = std::find(verdict_.fixes.begin(), verdict_.fixes.end(), fix.id) != verdict_.fixes.end();
      if (helps && !there && verdict_.fixes.size() < 6) verdict_.fixes.push_back(fix.id);
    }
  }

  const std::vector<Boot>& boots_;
  const Boot& boot_;
  std::size_t index_;
  const signs::Catalogue& catalogue_;
  const HostNormal& normal_;
  const Surroundings& around_;
  EndMarks marks_;
  std::vector<Suspect> suspects_;
  Verdict verdict_;
};

}  // namespace

Verdict decide(const std::vector<Boot>& boots, std::size_t index, const signs::Catalogue& catalogue,
               const HostNormal& normal, const Surroundings& around) {
  return Judge(boots, index, catalogue, normal, around).verdict();
}

}  // namespace antifreeze::autopsy
