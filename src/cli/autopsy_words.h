// The short words about a boot that table, page and HTML share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "autopsy/autopsy_run.h"
#include "cli/phrases.h"

namespace antifreeze::cli {

/// "how it ended" in a few words for an ending's id; an unknown id as it is.
std::string ending_words(Lang lang, std::string_view ending);
/// What endings have in common, for a colour: "good", "running", "memory", "gpu", "kernel", "hardware", "software",
/// "traceless" or "unknown".
std::string_view ending_group(std::string_view ending);
/// Whether a boot counts as one that ended badly. The crash kernel's own boot and the running one do not.
bool ended_badly(const autopsy::BootReport& boot);

/// "2026-03-01 12:00" in UTC, or "unknown".
std::string started_words(Lang lang, const autopsy::BootReport& boot);
/// How long it was up, in one unit: "95 s", "3 h"; or "unknown".
std::string up_words(Lang lang, const autopsy::BootReport& boot);
/// "0" for the newest boot, "-1", ...; "-" for a crash kernel's own.
std::string index_words(const autopsy::BootReport& boot);
/// 0.25 as "25 %".
std::string percent(double part);
/// The cause's id, with the Xid or the part that it names.
std::string cause_words(const autopsy::Cause& cause);
/// The note's line; a count of ours behind it is said in `lang`.
std::string note_words(Lang lang, const autopsy::Note& note);
/// "supports", "contradicts" or "cannot tell".
std::string result_words(Lang lang, autopsy::TestResult result);
/// The last clause of the table's column CAUSE: a cause, a count of notes, or empty.
std::string table_cause(Lang lang, const autopsy::BootReport& boot);
/// How long before the boot's last line something was, in nanoseconds: by the kernel's clock where both have it, else
/// by the wall's. Nothing without stamps; never negative.
std::optional<std::int64_t> ns_before_end(const autopsy::Boot& boot, std::optional<core::MonoTime> mono,
                                          std::optional<core::WallTime> wall);
/// The same for people: "0.250 s", "6.2 s", "3 min", "2 h".
std::string before_words(Lang lang, std::int64_t ns);

}  // namespace antifreeze::cli
