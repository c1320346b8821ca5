// Turns the entries of one boot into what is remembered of it: bounded, whatever the log holds.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autopsy/autopsy_types.h"
#include "readings/log_entry.h"
#include "signs/catalogue.h"
#include "signs/matcher.h"

namespace antifreeze::autopsy {

/// Feed the entries of a boot in order, then call finish() once. Keeps references to catalogue and matcher.
class Observer {
 public:
  Observer(const signs::Catalogue& catalogue, const signs::Matcher& matcher, std::string boot_id);

  void add(const readings::LogEntry& entry);
  /// Lines (each with its LF) in which there is no sign: kept as they are, and read only when they turn out to be the
  /// boot's last. Returns how many were not empty.
  std::uint64_t add_quiet(std::string_view lines);
  /// How such a line is read; without it they are forgotten.
  using ReadLine = std::function<void(std::string_view line, const std::function<void(const readings::LogEntry&)>&)>;
  /// Counts what was near the end and gives the boot away.
  Boot finish(const ReadLine& read_line = nullptr);

 private:
  // (sign, Xid number or -1): Xids are counted apart.
  using Key = std::pair<std::size_t, int>;
  struct Running {
    Tally tally;
    std::deque<std::pair<std::int64_t, std::uint64_t>> seconds;  // second, hits: of the last ten minutes
    std::deque<std::pair<std::int64_t, std::uint64_t>> minute;   // the same of the last 60 s, and their sum
    std::uint64_t in_minute = 0;
    std::deque<Hit> last;
  };

  // One of the last lines: read, or raw.
  struct Last {
    bool is_raw = false;
    std::string raw;
    TailLine line;
  };

  void remember(const readings::LogEntry& entry, std::optional<std::size_t> sign);
  Last& next_last();
  void stamp(const readings::LogEntry& entry);
  void read_tail(const ReadLine& read_line);
  void count(Running& running, const Hit& hit);
  void take(const readings::LogEntry& entry, const signs::Match& match);
  void attach(const std::string& id, const std::map<std::string, std::string>& fields);
  [[nodiscard]] std::optional<std::int64_t> second_of(const readings::LogEntry& entry) const;
  Running* newest(std::initializer_list<std::string_view> ids);

  const signs::Catalogue& catalogue_;
  const signs::Matcher& matcher_;
  Boot boot_;
  std::map<Key, Running> running_;
  std::vector<Last> last_;  // a ring: places and their memory are used again
  std::size_t next_ = 0;
  std::vector<signs::Match> matches_;
  std::optional<Key> report_;  // the last report that context rows belong to
  std::uint64_t report_position_ = 0;
};

}  // namespace antifreeze::autopsy
