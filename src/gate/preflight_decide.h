// Does what the engine will ask for fit into what is free? vLLM checks the same and crashes when it does not; waiting
// with the numbers in hand is cheaper (spark-vllm-docker 257, MiaAI-Lab GLM 47). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace antifreeze::gate {

/// On top of the share: a CUDA context is not part of it (0.5 GiB and more), and the host itself has to go on. The sum
/// is a guess; `--reserve` changes it.
inline constexpr std::uint64_t kDefaultReserve = 2ull * 1024 * 1024 * 1024;

struct PreflightInput {
  std::optional<double> share;              ///< of the total, 0 < share <= 1, as stated on the command line
  std::optional<std::uint64_t> bytes;       ///< stated in bytes; goes before `share`
  std::optional<std::uint64_t> total;       ///< MemTotal
  std::optional<std::uint64_t> available;   ///< MemAvailable: what the engine itself looks at on unified memory
  std::optional<std::uint64_t> free;        ///< MemFree, where there is no MemAvailable
  std::uint64_t reserve = kDefaultReserve;  ///< bytes that must stay free on top
  bool unified = false;                     ///< GPU memory is host memory; false: the host's numbers say nothing
};

enum class PreflightAnswer {
  kFits,
  kShort,
  kNever,  ///< short, and by more than this machine has: waiting cannot help
  kUnknown,
};

struct PreflightVerdict {
  PreflightAnswer answer = PreflightAnswer::kUnknown;
  std::uint64_t needed = 0;     ///< bytes, reserve included
  std::uint64_t available = 0;  ///< bytes
  std::uint64_t missing = 0;    ///< bytes
  /// "needs 40 GiB (0.40 of 100 GiB) + reserve 2 GiB, 31.2 GiB available: short by 10.8 GiB", or why it is unknown.
  /// With kNever the total takes the place of what is available.
  std::string text;
};

PreflightVerdict preflight(const PreflightInput& input);

}  // namespace antifreeze::gate
