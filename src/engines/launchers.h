// Programs that run another program: what they were told about it, and where its own command begins.
#pragma once

#include <optional>
#include <span>

#include "engines/environment.h"
#include "engines/word.h"

namespace antifreeze::engines {

/// When `words` begin with a launcher ("tini -s -- vllm serve …", "env A=1 nice -n 5 …", "uv run vllm …"), the position
/// of the command that it runs, with what it does to the environment done to `env`. nullopt when they do not, or when
/// no command follows.
std::optional<std::size_t> skip_launcher(std::span<const Word> words, Environment& env);

/// "/usr/bin/tini" -> "tini".
std::string_view base_name(std::string_view path);

}  // namespace antifreeze::engines
