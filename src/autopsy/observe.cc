#include "autopsy/observe.h"

#include <algorithm>
#include <utility>

#include "core/text.h"

namespace antifreeze::autopsy {
namespace {

using readings::LogEntry;
using readings::LogOrigin;
using signs::Role;

constexpr std::size_t kMaxLine = 400;
constexpr std::size_t kMaxHosts = 8;
constexpr std::size_t kMaxTailLine = 240;
constexpr std::size_t kMaxRawLine = 1024;
constexpr std::size_t kTail = 400;
constexpr std::size_t kFirst = 4;
constexpr std::size_t kLast = 8;
constexpr std::int64_t kNearSeconds = 120;  // a freeze's own lines
constexpr std::int64_t kRecentSeconds = 600;
constexpr std::uint64_t kNearEntries = 300;  // where a log has no stamps at all
constexpr std::uint64_t kReportLines = 60;   // rows that belong to a report follow it closely
constexpr std::size_t kMaxFieldBytes = 120;
constexpr std::size_t kMaxBlind = 20;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

// Fields that a context row hands to the report above it.
bool is_report(std::string_view id) {
  return id == "k.hung" || id == "k.softlock" || id == "k.hardlock" || id == "k.rcu" || id == "k.oops" ||
         id == "k.oops.null" || id == "k.gpf" || id == "k.bug" || id == "k.panic" || id == "ras.ghes" ||
         id == "ras.bert";
}

TailLine tail_line(const LogEntry& entry, std::optional<std::size_t> sign) {
  TailLine line;
  line.wall = entry.wall;
  line.mono = entry.mono;
  line.origin = entry.origin;
  line.identifier = core::printable(entry.identifier, 40);
  line.text = core::printable(entry.message, kMaxTailLine);
  line.sign = sign;
  return line;
}

}  // namespace

Observer::Observer(const signs::Catalogue& catalogue, const signs::Matcher& matcher, std::string boot_id)
    : catalogue_(catalogue), matcher_(matcher) {
  boot_.boot_id = std::move(boot_id);
}

std::optional<std::int64_t> Observer::second_of(const LogEntry& entry) const {
  if (entry.mono) return entry.mono->ns / kNsPerSecond;
  if (entry.wall) return entry.wall->ns / kNsPerSecond;
  return std::nullopt;
}

void Observer::add(const LogEntry& entry) {
  ++boot_.entries;
  stamp(entry);
  matcher_.match(entry, matches_);
  std::optional<std::size_t> main;
  for (const signs::Match& match : matches_) {
    const signs::Sign& sign = catalogue_.signs[match.sign];
    if (!main || sign.severity > catalogue_.signs[*main].severity) main = match.sign;
    take(entry, match);
  }
  remember(entry, main);
}

void Observer::stamp(const LogEntry& entry) {
  if (!entry.host.empty() && (boot_.hosts.empty() || boot_.hosts.back() != entry.host) &&
      boot_.hosts.size() < kMaxHosts &&
      std::find(boot_.hosts.begin(), boot_.hosts.end(), entry.host) == boot_.hosts.end()) {
    boot_.hosts.emplace_back(entry.host);
  }
  if (entry.wall) {
    if (!boot_.first) boot_.first = entry.wall;
    boot_.last = entry.wall;
  }
  if (entry.mono) boot_.last_mono = entry.mono;
}

std::uint64_t Observer::add_quiet(std::string_view lines) {
  const std::uint64_t before = boot_.entries;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1);
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end + 1);
    if (core::trim(line).empty()) continue;
    ++boot_.entries;
    Last& last = next_last();
    last.is_raw = true;
    last.raw.assign(line.substr(0, kMaxRawLine));
  }
  return boot_.entries - before;
}

Observer::Last& Observer::next_last() {
  if (last_.size() < kTail) return last_.emplace_back();
  Last& place = last_[next_];
  next_ = (next_ + 1) % kTail;
  return place;
}

void Observer::remember(const LogEntry& entry, std::optional<std::size_t> sign) {
  Last& last = next_last();
  last.is_raw = false;
  last.line = tail_line(entry, sign);
}

void Observer::read_tail(const ReadLine& read_line) {
  const std::vector<Last> ring = std::exchange(last_, {});
  const std::size_t oldest = std::exchange(next_, 0);
  std::size_t newest_read = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    if (!ring[(oldest + i) % ring.size()].is_raw) newest_read = i;
  }
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Last& last = ring[(oldest + i) % ring.size()];
    if (!last.is_raw) {
      boot_.tail.push_back(last.line);
    } else if (read_line) {
      read_line(last.raw, [&](const LogEntry& entry) {
        if (i > newest_read) stamp(entry);
        boot_.tail.push_back(tail_line(entry, std::nullopt));
      });
    }
  }
}

void Observer::take(const LogEntry& entry, const signs::Match& match) {
  const signs::Sign& sign = catalogue_.signs[match.sign];
  std::map<std::string, std::string> fields;
  for (const auto& [name, value] : match.fields) {
    fields.emplace(name, core::printable(core::trim(value), kMaxFieldBytes));
  }
  if (sign.role == Role::kContext) attach(sign.id, fields);

  int xid = -1;
  if (const auto number = fields.find("xid"); number != fields.end()) {
    xid = static_cast<int>(core::parse_int(number->second).value_or(-1));
  }
  // An out-of-memory kill within a limit: its header was not about the host.
  if (sign.id == "oom.constraint.memcg" || sign.id == "oom.memcg.kill") {
    if (Running* header = newest({"oom.invoked"}); header != nullptr && header->tally.count > 0 &&
                                                   !header->last.empty() &&
                                                   boot_.entries - header->last.back().position < 400) {
      --header->tally.count;
      if (header->tally.first.size() > header->tally.count) header->tally.first.pop_back();
      header->last.pop_back();
      if (!header->seconds.empty() && --header->seconds.back().second == 0) header->seconds.pop_back();
      if (header->tally.count == 0) {
        std::erase_if(running_, [&](const auto& item) { return &item.second == header; });
      }
    }
  }
  Running& running = running_[{match.sign, xid}];
  running.tally.sign = match.sign;
  if (xid >= 0) running.tally.xid = xid;
  Hit hit;
  hit.sign = match.sign;
  hit.wall = entry.wall;
  hit.mono = entry.mono;
  hit.position = boot_.entries;
  hit.line = core::printable(entry.message, kMaxLine);
  hit.fields = std::move(fields);
  if (is_report(sign.id)) {
    report_ = Key{match.sign, xid};
    report_position_ = boot_.entries;
  }
  if (sign.role == Role::kBlind && running.tally.count == 0 && boot_.blind.size() < kMaxBlind) {
    boot_.blind.push_back(hit.line);
  }
  count(running, hit);
}

void Observer::count(Running& running, const Hit& hit) {
  ++running.tally.count;
  if (running.tally.first.size() < kFirst) running.tally.first.push_back(hit);
  running.last.push_back(hit);
  if (running.last.size() > kLast) running.last.pop_front();

  LogEntry stamp;
  stamp.mono = hit.mono;
  stamp.wall = hit.wall;
  const auto second = second_of(stamp);
  if (!second) return;
  for (auto* counts : {&running.seconds, &running.minute}) {
    if (!counts->empty() && counts->back().first == *second) {
      ++counts->back().second;
    } else {
      counts->emplace_back(*second, 1);
    }
  }
  while (running.seconds.size() > 1 && running.seconds.front().first + kRecentSeconds < *second)
    running.seconds.pop_front();
  ++running.in_minute;
  while (running.minute.front().first + 60 <= *second) {
    running.in_minute -= running.minute.front().second;
    running.minute.pop_front();
  }
  running.tally.longest_burst = std::max(running.tally.longest_burst, running.in_minute);
}

Observer::Running* Observer::newest(std::initializer_list<std::string_view> ids) {
  Running* best = nullptr;
  for (auto& [key, running] : running_) {
    if (running.last.empty()) continue;
    if (std::find(ids.begin(), ids.end(), catalogue_.signs[key.first].id) == ids.end()) continue;
    if (best == nullptr || running.last.back().position > best->last.back().position) best = &running;
  }
  return best;
}

void Observer::attach(const std::string& id, const std::map<std::string, std::string>& fields) {
  if (!report_ || boot_.entries - report_position_ > kReportLines) return;
  const auto at = running_.find(*report_);
  if (at == running_.end() || at->second.last.empty()) return;
  const auto add_to = [&](Hit& hit) {
    for (const auto& [name, value] : fields) hit.fields.emplace(name, value);
    if (id == "spark.mstflint") hit.fields.emplace("module", "mstflint_access");
  };
  add_to(at->second.last.back());
  for (Hit& hit : at->second.tally.first) {
    if (hit.position == at->second.last.back().position) add_to(hit);
  }
}

Boot Observer::finish(const ReadLine& read_line) {
  read_tail(read_line);
  std::optional<std::int64_t> end;
  if (boot_.last_mono) {
    end = boot_.last_mono->ns / kNsPerSecond;
  } else if (boot_.last) {
    end = boot_.last->ns / kNsPerSecond;
  }
  for (auto& [key, running] : running_) {
    Tally& tally = running.tally;
    tally.last.assign(running.last.begin(), running.last.end());
    for (const auto& [second, hits] : running.seconds) {
      if (end && second + kNearSeconds >= *end) tally.count_last_2min += hits;
      if (end && second + kRecentSeconds >= *end) tally.count_last_10min += hits;
    }
    if (!end) {
      for (const Hit& hit : tally.last) {
        if (hit.position + kNearEntries < boot_.entries) continue;
        ++tally.count_last_2min;
        ++tally.count_last_10min;
      }
    }
    boot_.tallies.push_back(std::move(tally));
  }
  return std::move(boot_);
}

}  // namespace antifreeze::autopsy
