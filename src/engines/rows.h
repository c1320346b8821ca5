// The rows of the table, each defined in a file of its own, and what those files share.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>

#include "engines/dialect.h"

namespace antifreeze::engines {

extern const Dialect kVllm;
extern const Dialect kAphrodite;
extern const Dialect kSglang;
extern const Dialect kLlamaServer;
extern const Dialect kOllama;
extern const Dialect kTei;
extern const Dialect kTrtllm;
extern const Dialect kTriton;
extern const Dialect kLmdeploy;
extern const Dialect kInfinity;
extern const Dialect kTabbyApi;

inline constexpr std::array<int, 1> kOk{200};
inline constexpr std::array<int, 1> kUnavailable{503};

/// Product of counts; nullopt when one is unknown.
std::optional<unsigned> multiply(std::initializer_list<std::optional<unsigned>> counts);
/// Each node's part of `gpus`; nullopt when it does not divide evenly or one is unknown.
std::optional<unsigned> divide_over_nodes(std::optional<unsigned> gpus, std::optional<unsigned> nodes);

}  // namespace antifreeze::engines
