// What a log line can mean: an entry of the knowledge that ships with the program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "readings/log_entry.h"

namespace antifreeze::signs {

enum class Severity : std::uint8_t { kInfo, kWarning, kError, kCritical };

/// What a sign says about how a boot ended.
enum class Role : std::uint8_t {
  kCause,        ///< may be the reason
  kConsequence,  ///< follows from another sign; ranks below any cause that stands before it
  kContext,      ///< belongs to a report: a stack frame, a state row, a DIMM's name
  kClean,        ///< an orderly end: request, progress or the last line
  kPrevious,     ///< said in one boot about the one before: BERT, recovery, reset reason
  kBlind,        ///< the log is incomplete from here on, or was
  kChange,       ///< something was started, stopped, installed or stepped: dockerd, a timer, the clock
  kNote,         ///< worth a line, never a verdict
  kBenign,       ///< looks like a failure and is none
};

/// One sign. Fields of the pattern's named groups come out with their names.
struct Sign {
  std::string id;                            ///< stable, "nv.xid"
  std::string subsystem;                     ///< "nvidia", "kernel", "storage", ...
  std::string pattern;                       ///< RE2, matched anywhere in the message; (?P<name>...) are fields
  std::vector<readings::LogOrigin> origins;  ///< who may have written it; empty: anyone. kUnknown lines always pass
  std::string meaning;
  Severity severity = Severity::kInfo;
  Role role = Role::kNote;
  std::string failure_class;         ///< cause id of the contract: "xid", "oom", "hung_task", ...; empty for none
  std::string ending;                ///< ending id that it argues for: "driver_wedge", ...; empty: none by itself
  double strength = 0;               ///< 0 to 1: how much one such line near the end argues for its ending
  std::vector<std::string> parents;  ///< failure classes that explain it away when one stands before it
  std::string confounders;           ///< when it means nothing
  std::string source;
  std::vector<std::string> matching;      ///< at least one sample that must match
  std::vector<std::string> not_matching;  ///< at least one that must not
};

/// What one Xid number means.
struct Xid {
  int code = 0;
  std::string name;
  std::string meaning;
  Severity severity = Severity::kInfo;
  Role role = Role::kCause;   ///< kConsequence for 45 and its like, kNote for application errors
  std::string failure_class;  ///< "xid" unless a more telling one: "gpu_off_bus", "gsp_hang", "hw_memory_error", ...
  std::string ending;
  double strength = 0;
  std::string fix;  ///< id of a Fix, or empty
  std::string source;
};

/// What to do about a cause.
struct Fix {
  std::string id;
  std::vector<std::string> failure_classes;  ///< causes and endings that it helps against
  std::string text;                          ///< one or two sentences: what and why
  std::string text_ja, text_zh;              ///< the same in Japanese and simplified Chinese; empty: not translated
  std::vector<std::string> commands;         ///< copy-ready; may be empty
  std::string risk;
  std::string source;
};

/// What an id in a verdict means, where it is no sign, Xid or fix.
struct Term {
  std::string id;
  std::string kind;  ///< "ending", "cause" (a failure class), "test" or "evidence"
  std::string meaning;
};

}  // namespace antifreeze::signs
