// Options that the runtime verbs share.
#pragma once

#include "cli/context.h"
#include "core/options.h"
#include "runtime_setup/setup_types.h"

namespace antifreeze::cli {

inline constexpr core::OptionSpec kRuntimeDirOption{"runtime-dir", "DIR", "/var/lib/antifreeze/runtime",
                                                    "where the copies live that daemon.json names"};
inline constexpr core::OptionSpec kDaemonJsonOption{
    "daemon-json", "FILE", "as dockerd was told, else /etc/docker/daemon.json", "Docker's configuration"};
inline constexpr core::OptionSpec kDockerRootOption{"docker-root", "DIR", "as dockerd was told, else /var/lib/docker",
                                                    "where Docker keeps its containers"};
inline constexpr core::OptionSpec kDockerPidOption{"docker-pidfile", "FILE", "/var/run/docker.pid",
                                                   "where the pid of dockerd stands"};

/// What the options say; what they leave open is found out later.
runtime_setup::Paths runtime_paths(const core::ParsedOptions& parsed);

/// Shows what was done, or with --dry-run would be.
void show_report(const Context& context, std::string_view verb, const runtime_setup::Report& report);

}  // namespace antifreeze::cli
