// The engines that fakevllm plays: how each is called, where it listens and how it sizes its memory.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace antifreeze::fakevllm {

/// How the KV cache follows from flags and free memory (engines.md §2 has the formulas and their sources).
enum class MemoryModel {
  kFractionOfTotal,  ///< vLLM: share of all memory, checked at the start and after the profile run
  kFractionBefore,   ///< SGLang: share of what was free before the load
  kFractionAfter,    ///< TensorRT-LLM, LMDeploy: share of what is free after the load
  kFit,              ///< llama.cpp: what the context needs, fitted to free minus a margin
  kWeightsOnly,      ///< TEI, Infinity: weights, no cache
};

/// When the port answers, and with what, before the engine is ready.
enum class Listens {
  kWhenReady,   ///< refused until ready
  kWhenWarm,    ///< refused while loading, 503 during phase 6
  kAtOnce,      ///< 503 from phase 1 on
  kLoadsLater,  ///< 200 from phase 1 on; a model is loaded by the first request
};

/// One flag of an engine's own command line, in its canonical meaning.
struct FlagSpec {
  std::string_view names;     ///< "tensor-parallel-size|tp-size|-tp": long ones bare, short ones with one dash
  std::string_view meaning;   ///< "tp"; "" where fakevllm accepts and ignores it
  char arity = '1';           ///< '0' switch, '1' one value, '*' all words up to the next option
  std::string_view env = {};  ///< environment twin: LLAMA_ARG_PORT
};

struct Dialect {
  std::string_view name;        ///< --as NAME
  std::string_view programs;    ///< "vllm|fakevllm": names of argv[0] that mean it
  std::string_view module;      ///< python -m MODULE that means it, "" for none
  std::string_view comm;        ///< of the parent
  std::string_view child_comm;  ///< title of the engine process
  bool child_pdeathsig;         ///< the engine dies with its parent
  bool reuse_port;
  std::string_view host;
  int port;
  Listens listens;
  MemoryModel memory;
  double share;  ///< default of "util"
  std::span<const FlagSpec> flags;
};

std::span<const Dialect> dialects();
const Dialect* dialect_by_name(std::string_view name);
/// By the base name of argv[0]; nullptr for none.
const Dialect* dialect_by_program(std::string_view program);
const Dialect* dialect_by_module(std::string_view module);
/// Is `word` one of the names between the bars of `list`?
bool in_list(std::string_view list, std::string_view word);

}  // namespace antifreeze::fakevllm
