// Which inference engine a command line starts, and how to tell that it is ready.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engines/facts.h"

namespace antifreeze::engines {

/// Reads a whole command: looks through launchers (tini, env, nice, numactl, uv run, mpirun …), Python's -m and shells'
/// -c. nullopt: no engine that the table knows. Never fails on hostile input; longer than 4,096 words is not looked at.
std::optional<EngineFacts> recognise(std::span<const std::string> argv, const EnvView& env);

/// Reads only the arguments, for an engine already known, as a container whose image brings the entrypoint has them.
/// nullopt: no engine of that id.
std::optional<EngineFacts> recognise_as(std::string_view engine_id, std::span<const std::string> args,
                                        const EnvView& env);

}  // namespace antifreeze::engines
