// What autopsy knows and says: evidence of each boot going in, a verdict coming out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "readings/log_entry.h"
#include "signs/sign.h"

namespace antifreeze::autopsy {

/// A line with a sign in it, copied and bounded.
struct Hit {
  std::size_t sign = 0;  ///< index into the catalogue
  std::optional<core::WallTime> wall;
  std::optional<core::MonoTime> mono;
  std::uint64_t position = 0;  ///< count of the boot's entries up to it: order even without stamps
  std::string line;            ///< at most 400 bytes, printable
  std::map<std::string, std::string> fields;
};

/// All hits of one sign (for Xids: of one number) in one boot.
struct Tally {
  std::size_t sign = 0;
  std::optional<int> xid;
  std::uint64_t count = 0;
  std::uint64_t count_last_2min = 0;  ///< within 120 s of the boot's last entry
  std::uint64_t count_last_10min = 0;
  std::uint64_t longest_burst = 0;  ///< most in any 60 s
  std::vector<Hit> first;           ///< at most 4
  std::vector<Hit> last;            ///< at most 8, the newest at the end
};

/// Where an item of evidence comes from.
enum class Source : std::uint8_t {
  kJournal,
  kPstore,
  kKdump,
  kWtmp,
  kBert,
  kResetReason,
  kWatchdog,
  kFileSystem,
  kGateLog,
  kContainerLog,
};

/// Something that was found outside the boot's own log lines, about a boot.
struct Evidence {
  Source source = Source::kJournal;
  std::string id;  ///< sign id or "pstore.panic", "wtmp.no_shutdown", "watchdog.bootstatus", ...
  std::optional<core::WallTime> wall;
  double strength = 0;  ///< 0 to 1
  std::string line;     ///< as found, bounded and printable
  std::map<std::string, std::string> fields;
  std::string ending;         ///< what it argues for, or empty
  std::string failure_class;  ///< or empty
};

/// A line of the last minutes, for the page.
struct TailLine {
  std::optional<core::WallTime> wall;
  std::optional<core::MonoTime> mono;
  readings::LogOrigin origin = readings::LogOrigin::kUnknown;
  std::string identifier;
  std::string text;  ///< at most 240 bytes, printable
  std::optional<std::size_t> sign;
};

/// Everything known about one boot.
struct Boot {
  std::string boot_id;                        ///< empty in a text log
  bool in_journal = true;                     ///< false: known from wtmp or the recorder only
  bool is_capture_kernel = false;             ///< kdump's own boot: shown, never counted
  bool is_running = false;                    ///< the boot that we run in
  std::optional<core::WallTime> first, last;  ///< of its entries
  std::optional<core::MonoTime> last_mono;
  std::uint64_t entries = 0;
  std::vector<Tally> tallies;
  std::vector<Evidence> evidence;  ///< about this boot, wherever it was found (also in the next boot)
  std::vector<TailLine> tail;      ///< last 400 lines at most
  std::vector<std::string> hosts;  ///< as its lines name their machine; at most 8
  std::vector<std::string> blind;  ///< what makes silence worthless: "journald was killed at …"
};

/// A claim's state for a test that a careful engineer would do by hand.
enum class TestResult : std::uint8_t { kSupports, kContradicts, kCannotTell };
struct SplitTest {
  std::string id;  ///< "near_timer", "in_use", "after_change", "swap", "several_servers", "heat", "power"
  TestResult result = TestResult::kCannotTell;
  std::string text;  ///< what was found, or what to record so that next time it can be told
};

struct Cause {
  std::string id;    ///< failure class
  double score = 0;  ///< 0 to 1
  Hit first_event;
  std::map<std::string, std::string> fields;  ///< "xid", "bdf", "fru_text", …
  std::vector<std::string> supports;          ///< log lines or sentences
  std::vector<std::string> contradicts;
};

struct Note {
  std::string id;
  std::string line;
};

/// The answer about one boot.
struct Verdict {
  std::string ending = "insufficient_evidence";  ///< ids of the contract
  double confidence = 0;                         ///< 0 to 1
  std::vector<Cause> causes;                     ///< best first; empty when nothing was wrong
  std::vector<Note> notes;
  std::vector<SplitTest> tests;       ///< of a traceless end
  std::vector<std::string> unknown;   ///< what cannot be known, and why
  std::vector<std::string> fixes;     ///< ids, best first
  std::vector<std::string> starting;  ///< what was starting at the end
};

}  // namespace antifreeze::autopsy
