// The pause of the gate: a lease, so that whoever paused it and died does not stop every start for ever.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/time.h"

namespace antifreeze::gate {

inline constexpr std::string_view kPauseFile = "pause";
inline constexpr std::size_t kPauseFileBytes = 1024;
/// Longer ones are cut to this; whoever needs more renews.
inline constexpr core::Nanos kMaxPause = std::chrono::hours(1);

struct Pause {
  std::string boot_id;
  core::BootTime from;  ///< when it was written
  core::BootTime until;
  std::string reason;
  std::string by;  ///< who asked, for people
  friend bool operator==(const Pause&, const Pause&) = default;
};

/// At most kPauseFileBytes; texts that are too long are cut.
std::string encode_pause(const Pause& pause);
/// Error kTampered on anything that encode_pause did not write.
core::Result<Pause> decode_pause(std::string_view file);

/// Until when the gate is paused; nullopt: it is not. Void are a lease of another boot, one that is over, one from the
/// future, and one whose file does not belong to the owner of the gate directory (any container may create files
/// there). Never later than kMaxPause after `from`.
std::optional<core::BootTime> paused_until(const Pause& pause, core::BootTime now, std::string_view boot_id,
                                           uid_t file_owner, uid_t directory_owner);

}  // namespace antifreeze::gate
