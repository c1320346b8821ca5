#include "autopsy/causes.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "autopsy/end_marks.h"
#include "autopsy/starting.h"

namespace antifreeze::autopsy {
namespace {

using signs::Role;

// A burst that means something: so many in a minute, and so many times what good boots have (vllm 56824: 16 in one
// second on a host that went on; 848: 75 in one start).
constexpr std::uint64_t kBurst = 8;
constexpr std::uint64_t kBurstOverUsual = 3;
constexpr double kBurstStrength = 0.65;

struct Meaning {
  Role role;
  double strength;
  std::string failure_class, ending, fix;
};

Meaning meaning_of(const Tally& tally, const signs::Catalogue& catalogue) {
  const signs::Sign& sign = catalogue.signs[tally.sign];
  Meaning out{sign.role, sign.strength, sign.failure_class, sign.ending, ""};
  if (!tally.xid) return out;
  const auto xid = catalogue.xids.find(*tally.xid);
  if (xid == catalogue.xids.end()) return out;
  out = {xid->second.role, xid->second.strength, xid->second.failure_class, xid->second.ending, xid->second.fix};
  return out;
}

double closeness(const Tally& tally) {
  if (tally.count_last_2min > 0) return 1;
  return tally.count_last_10min > 0 ? 0.5 : 0.2;
}

bool in_gpu_driver(const Hit& hit) {
  const auto module = hit.fields.find("module");
  if (module != hit.fields.end() && module->second.starts_with("nvidia")) return true;
  const auto function = hit.fields.find("function");
  return function != hit.fields.end() && (function->second.starts_with("uvm_") || function->second.starts_with("nv_") ||
                                          function->second.starts_with("_nv"));
}

// A hung task says where it hangs by its frames.
void judge_hang(const Tally& tally, Meaning& meaning) {
  std::vector<const Hit*> hits;
  for (const Hit& hit : tally.first) hits.push_back(&hit);
  for (const Hit& hit : tally.last) hits.push_back(&hit);
  const bool driver = std::any_of(hits.begin(), hits.end(), [](const Hit* hit) { return in_gpu_driver(*hit); });
  const bool disk = std::any_of(hits.begin(), hits.end(), [](const Hit* hit) {
    const auto comm = hit->fields.find("comm");
    return comm != hit->fields.end() && (comm->second.starts_with("jbd2/") || comm->second.starts_with("xfsaild"));
  });
  if (driver) {
    meaning.strength = 0.75;
  } else if (disk) {
    meaning.ending = "storage";
    meaning.failure_class = "hung_task";
  } else {
    meaning.ending = "lockup";
  }
}

using FirstOfClass = std::map<std::string, std::uint64_t>;

/// Positions of the first hits that count as a cause, by class.
FirstOfClass first_of_classes(const Boot& boot, const signs::Catalogue& catalogue, const HostNormal& normal) {
  FirstOfClass first;
  for (const Tally& tally : boot.tallies) {
    const Meaning meaning = meaning_of(tally, catalogue);
    if (meaning.role != Role::kCause || tally.first.empty() || normal.rarity(tally, boot) < 0.3) continue;
    const auto [at, fresh] = first.emplace(meaning.failure_class, tally.first.front().position);
    if (!fresh) at->second = std::min(at->second, tally.first.front().position);
  }
  return first;
}

/// The class that explains `tally` away, empty when none does.
std::string parent_of(const Tally& tally, const signs::Sign& sign, const Meaning& meaning, const FirstOfClass& first) {
  for (const std::string& name : sign.parents) {
    const auto at = first.find(name);
    if (name != meaning.failure_class && at != first.end() && at->second <= tally.first.front().position) return name;
  }
  return tally.xid && meaning.role == Role::kConsequence ? "xid" : "";
}

void add_evidence(const Tally& tally, const Boot& boot, const HostNormal& normal, bool burst, Cause& cause) {
  cause.supports.push_back(tally.first.front().line);
  if (tally.count > 1) {
    cause.supports.push_back("seen " + std::to_string(tally.count) + " times, " +
                             std::to_string(tally.count_last_2min) + " in the last two minutes");
  }
  if (burst) {
    cause.supports.push_back(std::to_string(tally.longest_burst) +
                             " within a minute; good boots of this host have at most " +
                             std::to_string(normal.usual_burst(tally, boot)));
  }
  if (const std::size_t again = normal.bad_boots_with(tally, boot); again > 0) {
    cause.supports.push_back("also in " + std::to_string(again) + " other boot" + (again == 1 ? "" : "s") +
                             " that ended badly");
  }
  if (const double rarity = normal.rarity(tally, boot); rarity < 1) {
    cause.contradicts.push_back("also in boots that ended well (weight " + std::to_string(std::lround(rarity * 100)) +
                                " %)");
  }
  if (tally.count_last_10min == 0) cause.contradicts.emplace_back("not within the last ten minutes");
}

Suspect suspect_of(const Tally& tally, const Boot& boot, Meaning meaning, const signs::Sign& sign,
                   const HostNormal& normal, const FirstOfClass& first) {
  if (sign.id == "k.hung") judge_hang(tally, meaning);
  const bool burst =
      tally.longest_burst >= kBurst && tally.longest_burst >= kBurstOverUsual * normal.usual_burst(tally, boot);
  double rarity = normal.rarity(tally, boot);
  if (sign.id == "nv.nomem" && burst) {
    meaning.strength = kBurstStrength;
    rarity = 1;
  }
  Suspect suspect;
  suspect.near_end = closeness(tally);
  suspect.ending = meaning.ending;
  suspect.fix = meaning.fix;
  Cause& cause = suspect.cause;
  cause.id = meaning.failure_class;
  cause.score = meaning.strength * suspect.near_end * rarity;
  cause.first_event = tally.first.front();
  for (const auto* hits : {&tally.first, &tally.last}) {
    for (const Hit& hit : *hits) cause.fields.insert(hit.fields.begin(), hit.fields.end());
  }
  if (tally.xid) cause.fields["xid"] = std::to_string(*tally.xid);
  add_evidence(tally, boot, normal, burst, cause);
  if (const std::string parent = parent_of(tally, sign, meaning, first); !parent.empty()) {
    cause.score = 0;
    cause.contradicts.push_back("follows from " + parent);
  }
  return suspect;
}

std::string xid_of(const Suspect& suspect) {
  const auto at = suspect.cause.fields.find("xid");
  return at == suspect.cause.fields.end() ? std::string() : at->second;
}

/// One of a class is enough: the best one, which gets the others' lines. Xids of other numbers stay apart.
std::vector<Suspect> merge_classes(std::vector<Suspect> all) {
  std::stable_sort(all.begin(), all.end(), [](const Suspect& a, const Suspect& b) {
    if (a.cause.score != b.cause.score) return a.cause.score > b.cause.score;
    return a.cause.first_event.position < b.cause.first_event.position;
  });
  std::vector<Suspect> merged;
  for (Suspect& suspect : all) {
    if (suspect.cause.score < 0.02) continue;
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const Suspect& one) {
      return one.cause.id == suspect.cause.id && (suspect.cause.id != "xid" || xid_of(one) == xid_of(suspect));
    });
    if (same == merged.end()) {
      merged.push_back(std::move(suspect));
      continue;
    }
    same->cause.fields.insert(suspect.cause.fields.begin(), suspect.cause.fields.end());
    if (same->cause.supports.size() < 8) same->cause.supports.push_back(suspect.cause.supports.front());
    if (suspect.cause.first_event.position < same->cause.first_event.position) {
      same->cause.first_event = suspect.cause.first_event;
    }
  }
  return merged;
}

}  // namespace

std::vector<Suspect> rank_causes(const Boot& boot, const signs::Catalogue& catalogue, const HostNormal& normal) {
  const FirstOfClass first = first_of_classes(boot, catalogue, normal);
  std::vector<Suspect> all;
  for (const Tally& tally : boot.tallies) {
    const Meaning meaning = meaning_of(tally, catalogue);
    const bool counts = meaning.role == Role::kCause || meaning.role == Role::kConsequence;
    if (!counts || tally.first.empty() || tally.count == 0) continue;
    all.push_back(suspect_of(tally, boot, meaning, catalogue.signs[tally.sign], normal, first));
  }
  add_collision(boot, catalogue, all);
  std::vector<Suspect> merged = merge_classes(std::move(all));
  // Among those that weigh about the same, the first abnormal event is the cause, not the loudest.
  std::stable_sort(merged.begin(), merged.end(), [](const Suspect& a, const Suspect& b) {
    const int class_a = static_cast<int>(a.cause.score * 5);
    const int class_b = static_cast<int>(b.cause.score * 5);
    if (class_a != class_b) return class_a > class_b;
    return a.cause.first_event.position < b.cause.first_event.position;
  });
  return merged;
}

}  // namespace antifreeze::autopsy
