#include "autopsy/notes.h"

#include <algorithm>

#include "autopsy/end_marks.h"

namespace antifreeze::autopsy {
namespace {

constexpr std::size_t kMaxNotes = 20;

std::string line_of(const Tally& tally) {
  std::string line = tally.first.front().line;
  if (tally.count > 1) line += " (" + std::to_string(tally.count) + " times)";
  return line;
}

// A unit that failed, was restarted by its policy and then stayed up: "the service came up only by its restart".
void recovered_starts(const Boot& boot, const signs::Catalogue& catalogue, std::vector<Note>& out) {
  const Tally* failed = find_tally(boot, catalogue, "svc.failed");
  const Tally* again = find_tally(boot, catalogue, "svc.loop");
  if (failed == nullptr || again == nullptr) return;
  for (const Hit& hit : again->first) {
    const auto unit = hit.fields.find("unit");
    const auto count = hit.fields.find("count");
    if (unit == hit.fields.end() || count == hit.fields.end() || count->second != "1") continue;
    const bool more = std::any_of(again->last.begin(), again->last.end(), [&](const Hit& later) {
      const auto other = later.fields.find("unit");
      return other != later.fields.end() && other->second == unit->second && later.position > hit.position;
    });
    if (!more)
      out.push_back(
          {"recovered_by_restart", unit->second + ": its first start failed; it came up only by its restart"});
  }
}

}  // namespace

std::vector<Note> notes_of(const Boot& boot, const signs::Catalogue& catalogue) {
  std::vector<std::pair<signs::Severity, Note>> found;
  for (const Tally& tally : boot.tallies) {
    const signs::Sign& sign = catalogue.signs[tally.sign];
    if (tally.first.empty() || tally.count == 0) continue;
    if (tally.xid) {
      const auto xid = catalogue.xids.find(*tally.xid);
      if (xid == catalogue.xids.end() || xid->second.role != signs::Role::kNote) continue;
      found.emplace_back(xid->second.severity, Note{"xid:" + std::to_string(*tally.xid), line_of(tally)});
      continue;
    }
    if (sign.role != signs::Role::kNote || sign.failure_class.empty()) continue;
    found.emplace_back(sign.severity, Note{sign.failure_class, line_of(tally)});
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Note> out;
  recovered_starts(boot, catalogue, out);
  for (auto& [severity, note] : found) {
    const bool told = std::any_of(out.begin(), out.end(), [&, id = note.id](const Note& one) { return one.id == id; });
    if (!told && out.size() < kMaxNotes) out.push_back(std::move(note));
  }
  return out;
}

}  // namespace antifreeze::autopsy
