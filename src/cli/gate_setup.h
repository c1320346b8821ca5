// What `gate setup` and `gate keep` have in common.
#pragma once

#include <string>

#include "cli/gate_options.h"
#include "gate/keep_act.h"

namespace antifreeze::cli {

inline constexpr core::OptionSpec kNoMountOption{"no-mount", "", "",
                                                 "use the directory as it is, without a tmpfs of its own (tests)"};

inline gate::SetupOptions setup_options(const Context& context, const core::ParsedOptions& parsed,
                                        const std::string& boot_id) {
  gate::SetupOptions options;
  options.paths = {gate_dir_of(parsed), state_dir_of(parsed)};
  options.boot_id = boot_id;
  options.mount_tmpfs = !parsed.has("no-mount");
  options.dry_run = context.dry_run;
  return options;
}

}  // namespace antifreeze::cli
