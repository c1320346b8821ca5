#include "fakevllm/dialect.h"

#include <array>

#include "core/text.h"

namespace antifreeze::fakevllm {
namespace {

// Only flags that change what is simulated have a meaning; the rest is what real command lines carry.
constexpr std::array<FlagSpec, 42> kVllm{{{"model", "model"},
                                          {"served-model-name", "served", '*'},
                                          {"gpu-memory-utilization", "util"},
                                          {"kv-cache-memory-bytes", "kv-bytes"},
                                          {"max-model-len", "max-len"},
                                          {"tensor-parallel-size|-tp", "tp"},
                                          {"pipeline-parallel-size|-pp", "pp"},
                                          {"data-parallel-size|-dp", ""},
                                          {"host", "host"},
                                          {"port", "port"},
                                          {"uds", "uds"},
                                          {"shutdown-timeout", "shutdown"},
                                          {"api-key", "api-key", '*'},
                                          {"config", "config"},
                                          {"enable-sleep-mode", "sleep-mode", '0'},
                                          {"max-num-seqs", ""},
                                          {"max-num-batched-tokens", ""},
                                          {"enforce-eager", "", '0'},
                                          {"dtype", ""},
                                          {"quantization|-q", ""},
                                          {"kv-cache-dtype", ""},
                                          {"load-format", ""},
                                          {"trust-remote-code", "", '0'},
                                          {"enable-prefix-caching", "", '0'},
                                          {"enable-chunked-prefill", "", '0'},
                                          {"enable-auto-tool-choice", "", '0'},
                                          {"tool-call-parser", ""},
                                          {"reasoning-parser", ""},
                                          {"chat-template", ""},
                                          {"cpu-offload-gb", ""},
                                          {"swap-space", ""},
                                          {"download-dir", ""},
                                          {"revision", ""},
                                          {"tokenizer", ""},
                                          {"task", ""},
                                          {"runner", ""},
                                          {"seed", ""},
                                          {"block-size", ""},
                                          {"compilation-config|-O", ""},
                                          {"speculative-config", ""},
                                          {"disable-log-requests", "", '0'},
                                          {"limit-mm-per-prompt", ""}}};

constexpr std::array<FlagSpec, 15> kSglang{{{"model-path|model", "model"},
                                            {"served-model-name", "served"},
                                            {"mem-fraction-static", "util"},
                                            {"context-length", "max-len"},
                                            {"tensor-parallel-size|tp-size|tp", "tp"},
                                            {"host", "host"},
                                            {"port", "port"},
                                            {"api-key", "api-key"},
                                            {"trust-remote-code", "", '0'},
                                            {"dtype", ""},
                                            {"quantization", ""},
                                            {"chunked-prefill-size", ""},
                                            {"cuda-graph-max-bs", ""},
                                            {"max-running-requests", ""},
                                            {"enable-metrics", "", '0'}}};

constexpr std::array<FlagSpec, 17> kLlama{{{"model|-m", "model", '1', "LLAMA_ARG_MODEL"},
                                           {"hf-repo|-hf|-hfr", "model", '1', "LLAMA_ARG_HF_REPO"},
                                           {"alias|-a", "served", '1', "LLAMA_ARG_ALIAS"},
                                           {"ctx-size|-c", "max-len", '1', "LLAMA_ARG_CTX_SIZE"},
                                           {"gpu-layers|n-gpu-layers|-ngl", "", '1', "LLAMA_ARG_N_GPU_LAYERS"},
                                           {"parallel|-np", "", '1', "LLAMA_ARG_N_PARALLEL"},
                                           {"host", "host", '1', "LLAMA_ARG_HOST"},
                                           {"port", "port", '1', "LLAMA_ARG_PORT"},
                                           {"api-key", "api-key", '1', "LLAMA_API_KEY"},
                                           {"fit|-fit", "fit", '1', "LLAMA_ARG_FIT"},
                                           {"fit-target|-fitt", "fit-target", '1', "LLAMA_ARG_FIT_TARGET"},
                                           {"fit-ctx|-fitc", "fit-ctx", '1', "LLAMA_ARG_FIT_CTX"},
                                           {"cache-type-k|-ctk", ""},
                                           {"cache-type-v|-ctv", ""},
                                           {"flash-attn|-fa", ""},
                                           {"jinja", "", '0'},
                                           {"metrics", "", '0'}}};

constexpr std::array<FlagSpec, 3> kOllama{{{"host", "ollama-host", '1', "OLLAMA_HOST"},
                                           {"keep-alive", "keep-alive", '1', "OLLAMA_KEEP_ALIVE"},
                                           {"max-loaded", "max-loaded", '1', "OLLAMA_MAX_LOADED_MODELS"}}};

constexpr std::array<FlagSpec, 11> kTei{{{"model-id", "model", '1', "MODEL_ID"},
                                         {"served-model-name", "served", '1', "SERVED_MODEL_NAME"},
                                         {"hostname", "host"},
                                         {"port|-p", "port", '1', "PORT"},
                                         {"uds-path", "uds", '1', "UDS_PATH"},
                                         {"api-key", "api-key", '1', "API_KEY"},
                                         {"max-batch-tokens", "", '1', "MAX_BATCH_TOKENS"},
                                         {"max-concurrent-requests", "", '1', "MAX_CONCURRENT_REQUESTS"},
                                         {"pooling", "", '1', "POOLING"},
                                         {"dtype", "", '1', "DTYPE"},
                                         {"auto-truncate", "", '0'}}};

constexpr std::array<FlagSpec, 9> kTrtllm{{{"model", "model"},
                                           {"kv_cache_free_gpu_memory_fraction|free_gpu_memory_fraction", "util"},
                                           {"max_seq_len", "max-len"},
                                           {"tp_size", "tp"},
                                           {"host", "host"},
                                           {"port", "port"},
                                           {"max_batch_size", ""},
                                           {"backend", ""},
                                           {"trust_remote_code", "", '0'}}};

constexpr std::array<FlagSpec, 7> kLmdeploy{{{"model-name", "served"},
                                             {"cache-max-entry-count", "util"},
                                             {"session-len", "max-len"},
                                             {"tp", "tp"},
                                             {"server-name", "host"},
                                             {"server-port", "port"},
                                             {"backend", ""}}};

constexpr std::array<FlagSpec, 6> kInfinity{{{"model-id", "model", '1', "INFINITY_MODEL_ID"},
                                             {"served-model-name", "served"},
                                             {"host", "host", '1', "INFINITY_HOST"},
                                             {"port", "port", '1', "INFINITY_PORT"},
                                             {"engine", ""},
                                             {"batch-size", ""}}};

using L = Listens;
using M = MemoryModel;
// vLLM's share is that of current releases; ports and shares of the others are those of engines.md §2.
constexpr std::array<Dialect, 8> kDialects{{
    {"vllm", "vllm|fakevllm", "vllm.entrypoints.openai.api_server", "vllm", "VLLM::EngineCore", false, true, "0.0.0.0",
     8000, L::kWhenReady, M::kFractionOfTotal, 0.92, kVllm},
    {"sglang", "sglang|fakesglang", "sglang.launch_server", "sglang", "sglang::scheduler", true, false, "127.0.0.1",
     30000, L::kWhenWarm, M::kFractionBefore, 0.88, kSglang},
    {"llama", "llama-server|fakellama", "", "llama-server", "llama-server", true, false, "127.0.0.1", 8080, L::kAtOnce,
     M::kFit, 0, kLlama},
    {"ollama", "ollama|fakeollama", "", "ollama", "llama-server", true, false, "127.0.0.1", 11434, L::kLoadsLater,
     M::kFit, 0, kOllama},
    {"tei", "text-embeddings-router|faketei", "", "text-embeddings", "text-embeddings", true, false, "0.0.0.0", 3000,
     L::kWhenReady, M::kWeightsOnly, 0, kTei},
    {"trtllm", "trtllm-serve|faketrtllm", "", "trtllm-serve", "trtllm-worker", true, false, "127.0.0.1", 8000,
     L::kWhenReady, M::kFractionAfter, 0.9, kTrtllm},
    {"lmdeploy", "lmdeploy|fakelmdeploy", "", "lmdeploy", "lmdeploy-engine", true, false, "0.0.0.0", 23333,
     L::kWhenReady, M::kFractionAfter, 0.8, kLmdeploy},
    {"infinity", "infinity_emb|fakeinfinity", "", "infinity_emb", "infinity_emb", true, false, "0.0.0.0", 7997,
     L::kWhenReady, M::kWeightsOnly, 0, kInfinity},
}};

}  // namespace

std::span<const Dialect> dialects() { return kDialects; }

bool in_list(std::string_view list, std::string_view word) {
  for (const auto name : core::split(list, '|')) {
    if (name == word) return true;
  }
  return false;
}

const Dialect* dialect_by_name(std::string_view name) {
  for (const auto& dialect : kDialects) {
    if (dialect.name == name) return &dialect;
  }
  return dialect_by_program(name);
}

const Dialect* dialect_by_program(std::string_view program) {
  for (const auto& dialect : kDialects) {
    if (in_list(dialect.programs, program)) return &dialect;
  }
  return nullptr;
}

const Dialect* dialect_by_module(std::string_view module) {
  for (const auto& dialect : kDialects) {
    if (!dialect.module.empty() && dialect.module == module) return &dialect;
  }
  return nullptr;
}

}  // namespace antifreeze::fakevllm
