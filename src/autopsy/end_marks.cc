#include "autopsy/end_marks.h"

namespace antifreeze::autopsy {
namespace {

// Lines that may follow journald's last word: those of the same moment that reached the file before it.
constexpr std::uint64_t kEndEntries = 40;

bool at_end(const Boot& boot, const Tally* tally) {
  return tally != nullptr && !tally->last.empty() && tally->last.back().position + kEndEntries >= boot.entries;
}

}  // namespace

const Tally* find_tally(const Boot& boot, const signs::Catalogue& catalogue, std::string_view id,
                        std::optional<int> xid) {
  for (const Tally& tally : boot.tallies) {
    if (catalogue.signs[tally.sign].id == id && (!xid || tally.xid == xid)) return &tally;
  }
  return nullptr;
}

const Evidence* find_evidence(const Boot& boot, std::string_view id) {
  for (const Evidence& evidence : boot.evidence) {
    if (evidence.id == id) return &evidence;
  }
  return nullptr;
}

EndMarks end_marks(const Boot& boot, const signs::Catalogue& catalogue) {
  EndMarks marks;
  for (const std::string_view id : {"end.journald", "end.kernel"}) {
    const Tally* tally = find_tally(boot, catalogue, id);
    if (!at_end(boot, tally)) continue;
    marks.stopped = true;
    marks.first = &tally->last.back();
  }
  for (const std::string_view id : {"end.request", "end.target", "end.shutting"}) {
    const Tally* tally = find_tally(boot, catalogue, id);
    if (tally == nullptr || tally->count_last_10min == 0) continue;
    marks.requested = true;
    if (marks.first == nullptr || tally->last.front().position < marks.first->position)
      marks.first = &tally->last.front();
  }
  marks.wtmp_shutdown = find_evidence(boot, "wtmp.shutdown") != nullptr;
  // Journald stops in the middle of a boot too, when the early journal moves to the disk; a boot that is cut soon after
  // has that line near its end.
  const bool kernel_said = at_end(boot, find_tally(boot, catalogue, "end.kernel"));
  if (!kernel_said && !marks.requested && !marks.wtmp_shutdown) marks.stopped = false;
  return marks;
}

}  // namespace antifreeze::autopsy
