#include "journal/journal_source.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/text.h"
#include "journal/entry_fields.h"
#include "journal/find_files.h"
#include "journal/journal_file.h"

namespace antifreeze::journal {
namespace {

// Consecutive entries of one boot in one file: what is remembered in place of the entries themselves.
struct Run {
  std::size_t file = 0;
  std::uint64_t offset = 0;  // of the first entry
  std::uint64_t count = 0;
  std::uint64_t first_seqnum = 0;
};

struct BootRuns {
  Id128 id;
  std::uint64_t first_realtime_us = 0;
  std::vector<Run> runs;
};

// How often progress is told: 1 in that many entries.
constexpr std::uint64_t kProgressStep = 1 << 14;
// A file that jumps between boots at each entry is no journald's work.
constexpr std::size_t kMaxRuns = 200'000;

class Reader {
 public:
  explicit Reader(const std::function<void(double)>& progress) : progress_(progress) {}

  void open(const std::vector<std::string>& paths, JournalHealth& health) {
    for (const std::string& path : paths) {
      auto file = JournalFile::open(path);
      if (!file) {
        if (file.error().code() == core::ErrorCode::kPermission) health.no_permission = true;
        health.unreadable.push_back(core::printable(file.error().message(), 400));
        continue;
      }
      bytes_ += file->bytes().size();
      files_.push_back(std::move(*file));
    }
    health.files = files_.size();
  }

  // Finds the boots, reading only the heads of the entries.
  void scan(JournalHealth& health) {
    std::map<Id128, std::size_t> index;
    std::size_t runs = 0;
    for (std::size_t number = 0; number < files_.size(); ++number) {
      JournalFile& file = files_[number];
      std::uint64_t skipped = 0;
      std::uint64_t offset = file.first_offset();
      Run* run = nullptr;
      Id128 run_boot;
      while (auto entry = file.next_entry(offset, skipped)) {
        offset = entry->end();
        if (run == nullptr || run_boot != entry->boot_id) {
          if (++runs > kMaxRuns) break;
          const auto [place, fresh] = index.emplace(entry->boot_id, boots_.size());
          if (fresh) boots_.push_back({entry->boot_id, entry->realtime_us, {}});
          BootRuns& boot = boots_[place->second];
          boot.first_realtime_us = std::min(boot.first_realtime_us, entry->realtime_us);
          boot.runs.push_back({number, entry->offset, 0, entry->seqnum});
          run = &boot.runs.back();
          run_boot = entry->boot_id;
        }
        ++run->count;
        if (++entries_ % kProgressStep == 0) tell(scanned_ + offset, 0, kScanShare);
        file.done_until(offset);
      }
      scanned_ += file.bytes().size();
      if (skipped > 0) {
        health.unreadable.push_back(core::printable(file.path(), 400) + ": damaged, " + std::to_string(skipped) +
                                    " bytes skipped");
      }
    }
    order();
  }

  // Visits everything, boot by boot.
  void read(const std::function<bool(const BootEntry&)>& visit) {
    std::uint64_t done = 0;
    for (const BootRuns& boot : boots_) {
      if (!read_boot(boot, visit, done)) return;
    }
    if (progress_) progress_(1);
  }

 private:
  static constexpr double kScanShare = 0.2;

  struct Cursor {
    const Run* run = nullptr;
    EntryHead entry;
    std::uint64_t left = 0;
  };

  void tell(std::uint64_t done, double from, double share) const {
    if (progress_ && bytes_ > 0) {
      progress_(std::min(1.0, from + share * static_cast<double>(done) / static_cast<double>(bytes_)));
    }
  }

  // By the first entry's wall clock, except that two boots of one sequence are in the order of their numbers: the
  // clock of a machine without a battery starts in the past.
  void order() {
    std::sort(boots_.begin(), boots_.end(),
              [](const BootRuns& a, const BootRuns& b) { return a.first_realtime_us < b.first_realtime_us; });
    for (std::size_t round = 0; round < boots_.size(); ++round) {
      bool moved = false;
      for (std::size_t i = 1; i < boots_.size(); ++i) {
        if (!comes_before(boots_[i], boots_[i - 1])) continue;
        std::swap(boots_[i], boots_[i - 1]);
        moved = true;
      }
      if (!moved) return;
    }
  }

  [[nodiscard]] bool comes_before(const BootRuns& a, const BootRuns& b) const {
    bool shares = false;
    for (const Run& mine : a.runs) {
      for (const Run& other : b.runs) {
        if (files_[mine.file].seqnum_id() != files_[other.file].seqnum_id()) continue;
        shares = true;
        if (mine.first_seqnum >= other.first_seqnum) return false;
      }
    }
    return shares;
  }

  [[nodiscard]] bool earlier(const Cursor& a, const Cursor& b) const {
    const auto mono = [](const Cursor& c) { return std::pair(c.entry.monotonic_us, c.entry.seqnum); };
    if (files_[a.run->file].seqnum_id() == files_[b.run->file].seqnum_id()) return a.entry.seqnum < b.entry.seqnum;
    return mono(a) < mono(b);
  }

  // Sets the cursor on its next entry; false when the run is over.
  bool advance(Cursor& cursor) const {
    if (cursor.left == 0) return false;
    std::uint64_t skipped = 0;
    const auto next = files_[cursor.run->file].next_entry(cursor.entry.end(), skipped);
    if (!next) return false;
    cursor.entry = *next;
    --cursor.left;
    return true;
  }

  bool read_boot(const BootRuns& boot, const std::function<bool(const BootEntry&)>& visit, std::uint64_t& done) {
    const std::string id = boot.id.text();
    std::vector<Cursor> cursors;
    for (const Run& run : boot.runs) {
      std::uint64_t skipped = 0;
      const auto first = files_[run.file].next_entry(run.offset, skipped);
      if (first) cursors.push_back({&run, *first, run.count - 1});
    }
    std::pair<Id128, std::uint64_t> last;  // files may be copies of each other
    while (!cursors.empty()) {
      auto next = std::min_element(cursors.begin(), cursors.end(),
                                   [&](const Cursor& a, const Cursor& b) { return earlier(a, b); });
      JournalFile& file = files_[next->run->file];
      const std::pair<Id128, std::uint64_t> number = {file.seqnum_id(), next->entry.seqnum};
      if (number != last) {
        last = number;
        const BootEntry& entry = fields_.read(file, next->entry, id);
        if (!visit(entry)) return false;
        if (++done % kProgressStep == 0 && progress_ && entries_ > 0) {
          progress_(kScanShare +
                    (1 - kScanShare) * std::min(1.0, static_cast<double>(done) / static_cast<double>(entries_)));
        }
      }
      if (!advance(*next)) cursors.erase(next);
    }
    return true;
  }

  const std::function<void(double)>& progress_;
  std::vector<JournalFile> files_;
  std::vector<BootRuns> boots_;
  EntryFields fields_;
  std::uint64_t bytes_ = 0;
  std::uint64_t scanned_ = 0;
  std::uint64_t entries_ = 0;
};

}  // namespace

core::Result<JournalHealth> for_each_entry(const JournalPlace& place,
                                           const std::function<bool(const BootEntry&)>& visit,
                                           const std::function<void(double)>& progress) {
  JournalHealth health;
  auto paths = find_files(place, health);
  if (!paths) return std::move(paths).error();
  Reader reader(progress);
  reader.open(*paths, health);
  reader.scan(health);
  reader.read(visit);
  return health;
}

}  // namespace antifreeze::journal
