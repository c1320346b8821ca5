#include "engines/table.h"

#include <array>

#include "engines/rows.h"

namespace antifreeze::engines {
namespace {

// TabbyAPI comes last: it is known by hints only.
constexpr std::array<const Dialect*, 11> kAll{&kVllm,   &kSglang,   &kLlamaServer, &kOllama,    &kTei,     &kTrtllm,
                                              &kTriton, &kLmdeploy, &kInfinity,    &kAphrodite, &kTabbyApi};

}  // namespace

std::span<const Dialect* const> all_dialects() { return kAll; }

const Dialect* dialect_of(std::string_view id) {
  for (const Dialect* dialect : kAll) {
    if (dialect->id == id) return dialect;
  }
  return nullptr;
}

std::optional<unsigned> multiply(std::initializer_list<std::optional<unsigned>> counts) {
  constexpr unsigned kMost = 65536;
  unsigned product = 1;
  for (const auto& count : counts) {
    if (!count || *count > kMost) return std::nullopt;
    product *= *count;
    if (product > kMost) return std::nullopt;
  }
  return product;
}

std::optional<unsigned> divide_over_nodes(std::optional<unsigned> gpus, std::optional<unsigned> nodes) {
  if (!gpus || !nodes || *nodes == 0 || *gpus % *nodes != 0) return std::nullopt;
  return *gpus / *nodes;
}

}  // namespace antifreeze::engines
