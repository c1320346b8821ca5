#include "autopsy/read_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>

#include "autopsy/assemble.h"
#include "autopsy/observe.h"
#include "core/fd.h"
#include "core/text.h"
#include "readings/log_text.h"
#include "signs/prefilter.h"

namespace antifreeze::autopsy {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
/// And again where a boot begins, for its first stamp.
constexpr std::uint64_t kReadInBoot = 50;
constexpr std::size_t kWordsFrom = 25;  // fewer lines share a word by chance

// Words that all lines so far have in common: what is left at the end is what somebody searched for.
class SharedWords {
 public:
  void add(std::string_view line) {
    if (lines_ > kReadAtFirst) return;
    ++lines_;
    std::set<std::string> words;
    for (const std::string_view word : core::split_words(line.substr(0, 1000))) {
      if (word.size() > 3) words.emplace(word);
    }
    if (lines_ == 1) {
      shared_ = std::move(words);
      return;
    }
    std::erase_if(shared_, [&](const std::string& word) { return !words.contains(word); });
  }
  [[nodiscard]] bool any() const { return lines_ >= kWordsFrom && !shared_.empty(); }

 private:
  std::uint64_t lines_ = 0;
  std::set<std::string> shared_;
};

bool carries_previous(const Boot& boot, const signs::Catalogue& catalogue) {
  return std::any_of(boot.tallies.begin(), boot.tallies.end(),
                     [&](const Tally& tally) { return is_about_previous(tally, catalogue.signs[tally.sign]); });
}

class TextReader {
 public:
  TextReader(int year, const signs::Catalogue& catalogue, const signs::Matcher& matcher, signs::Prefilter prefilter,
             const std::function<void(double)>& progress, std::uint64_t read_at_first)
      : year_(year),
        catalogue_(catalogue),
        matcher_(matcher),
        prefilter_(std::move(prefilter)),
        progress_(progress),
        read_at_first_(read_at_first) {
    next_boot("");
  }

  core::Status read(const std::string& path) {
    core::Fd file;
    if (path != "-") {
      file = core::Fd(core::retry_eintr([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY); }));
      if (!file.valid()) return core::errno_error("opening " + core::printable(path), errno);
    }
    return read(file.valid() ? file.get() : STDIN_FILENO, core::printable(path));
  }

  TextBoots finish() {
    close_boot();
    if (nul_tail_ && !out_.boots.empty()) {
      Evidence torn;
      torn.source = Source::kFileSystem;
      torn.id = "log.nul_tail";
      torn.strength = 0.5;
      torn.failure_class = "unclean_previous";
      torn.line = "the log ends in NUL bytes: its last data never reached the disk";
      out_.boots.back().evidence.push_back(std::move(torn));
    }
    out_.filtered = words_.any();
    if (!out_.boots.empty() && carries_previous(out_.boots.front(), catalogue_)) {
      Boot before;
      before.in_journal = false;
      before.blind.emplace_back("no line of this boot is in the log: only the next boot speaks of it");
      out_.boots.insert(out_.boots.begin(), std::move(before));
    }
    return std::move(out_);
  }

 private:
  core::Status read(int fd, const std::string& name) {
    struct stat info = {};
    if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
      return core::Error(core::ErrorCode::kInvalid,
                         name + " is a directory; --log takes a text file, --root a captured root");
    }
    reader_ = std::make_unique<readings::LogTextReader>(
        year_, readings::LogTextReader::Events{[this](const readings::LogEntry& entry) { add(entry); },
                                               [this](std::string_view id) { next_boot(id); }});
    mid_line_ = false;
    std::string block(kBlock, '\0');
    std::uint64_t done = 0;
    for (;;) {
      const ssize_t got = core::retry_eintr([&] { return ::read(fd, block.data(), block.size()); });
      if (got < 0) return core::errno_error("reading " + name, errno);
      if (got == 0) break;
      take(std::string_view(block.data(), static_cast<std::size_t>(got)));
      done += static_cast<std::uint64_t>(got);
      if (progress_ && info.st_size > 0) {
        progress_(std::min(1.0, static_cast<double>(done) / static_cast<double>(info.st_size)));
      }
    }
    reader_->finish();
    nul_tail_ = reader_->ends_in_nul();
    return {};
  }

  // Whole lines are searched for candidates; the last line of a block, and all at first, are read as they come.
  void take(std::string_view bytes) {
    if (mid_line_) {
      const std::size_t end = bytes.find('\n');
      reader_->feed(bytes.substr(0, end == std::string_view::npos ? end : end + 1));
      if (end == std::string_view::npos) return;
      bytes.remove_prefix(end + 1);
      mid_line_ = false;
    }
    while (!bytes.empty() && reads_all()) {
      const std::size_t end = bytes.find('\n');
      if (end == std::string_view::npos) break;
      reader_->feed(bytes.substr(0, end + 1));
      bytes.remove_prefix(end + 1);
    }
    std::size_t whole = bytes.rfind('\n');
    whole = whole == std::string_view::npos ? 0 : whole + 1;
    take_lines(bytes.substr(0, whole));
    reader_->feed(bytes.substr(whole));
    mid_line_ = whole < bytes.size();
  }

  void take_lines(std::string_view lines) {
    while (!lines.empty()) {
      const std::size_t at = std::min(prefilter_.first_candidate(lines), lines.size());
      if (at > 0) {
        reader_->flush();
        const std::uint64_t quiet = observer_->add_quiet(lines.substr(0, at));
        reader_->skip(quiet);
        in_boot_ += quiet;
        lines.remove_prefix(at);
      }
      // What follows a candidate may be its second half, what follows a boundary shows when the boot began.
      for (bool more = true; more && !lines.empty(); more = in_boot_ < kReadInBoot || reader_->expects_second_half()) {
        const std::size_t end = lines.find('\n') + 1;
        reader_->feed(lines.substr(0, end));
        lines.remove_prefix(end);
      }
    }
  }

  [[nodiscard]] bool reads_all() const { return reader_->lines() < read_at_first_ || reader_->needs_every_line(); }

  void close_boot() {
    if (in_boot_ == 0) return;
    out_.boots.push_back(observer_->finish([this](std::string_view line, const auto& entry) {
      if (reader_) reader_->read_apart(line, entry);
    }));
  }

  void add(const readings::LogEntry& entry) {
    ++in_boot_;
    words_.add(entry.message);
    observer_->add(entry);
  }

  void next_boot(std::string_view id) {
    close_boot();
    observer_ = std::make_unique<Observer>(catalogue_, matcher_, std::string(id));
    in_boot_ = 0;
  }

  int year_;
  const signs::Catalogue& catalogue_;
  const signs::Matcher& matcher_;
  signs::Prefilter prefilter_;
  const std::function<void(double)>& progress_;
  std::uint64_t read_at_first_;
  TextBoots out_;
  SharedWords words_;
  std::unique_ptr<Observer> observer_;
  std::unique_ptr<readings::LogTextReader> reader_;
  bool mid_line_ = false;  // the reader has the beginning of a line
  std::uint64_t in_boot_ = 0;
  bool nul_tail_ = false;
};

}  // namespace

core::Result<TextBoots> read_text(const std::vector<std::string>& paths, int year, const signs::Catalogue& catalogue,
                                  const signs::Matcher& matcher, const std::function<void(double)>& progress,
                                  std::uint64_t read_at_first) {
  auto prefilter = signs::Prefilter::build(catalogue, readings::kStructuralLines);
  if (!prefilter) return std::move(prefilter).error();
  TextReader reader(year, catalogue, matcher, *std::move(prefilter), progress, read_at_first);
  for (const std::string& path : paths) {
    if (auto done = reader.read(path); !done) return std::move(done).error();
  }
  return reader.finish();
}

}  // namespace antifreeze::autopsy
