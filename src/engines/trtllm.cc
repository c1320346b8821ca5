// TensorRT-LLM's trtllm-serve. Source: tensorrt_llm/commands/serve.py.
#include <algorithm>
#include <array>

#include "engines/rows.h"

namespace antifreeze::engines {
namespace {

enum Key {
  kPort = kNeighbour + 1,
  kHost,
  kFraction,
  kTensorParallel,
  kPipelineParallel,
  kContextParallel,
  kGpusPerNode,
  kConfig,
  kGrpc,
};

constexpr std::array kFlags = std::to_array<Flag>({
    {"--port", kPort},
    {"--host", kHost},
    {"--free-gpu-memory-fraction", kFraction},
    {"--kv-cache-free-gpu-memory-fraction", kFraction},
    {"--tensor-parallel-size", kTensorParallel},
    {"--tp-size", kTensorParallel},
    {"--pipeline-parallel-size", kPipelineParallel},
    {"--pp-size", kPipelineParallel},
    {"--context-parallel-size", kContextParallel},
    {"--cp-size", kContextParallel},
    {"--gpus-per-node", kGpusPerNode},
    {"--config", kConfig},
    {"--extra-llm-api-options", kConfig},
    {"--grpc", kGrpc, false},
});

void read(const ParsedArgs& args, const Environment& env, EngineFacts& facts) {
  read_port_and_host(args, env, kPort, nullptr, kHost, nullptr, facts);
  facts.model = text_of(args.first_operand());
  if (args.has(kGrpc)) facts.health = {};
  facts.gpus =
      multiply({count_of(args, kTensorParallel), count_of(args, kPipelineParallel), count_of(args, kContextParallel)});
  if (args.has(kGpusPerNode)) {
    const auto here = count_of(args, kGpusPerNode);
    facts.gpus = facts.gpus && here ? std::optional(std::min(*facts.gpus, *here)) : std::nullopt;
  }
  read_share(args, kFraction, facts);
  // Here the file goes before the command line.
  facts.config_file = text_of(args.value(kConfig));
  if (args.has(kConfig)) forget_share("the file that --config names may set it", facts);
}

constexpr std::array kForms = std::to_array<Form>({
    {Form::Kind::kProgram, "trtllm-serve", "serve"},
    {Form::Kind::kProgram, "trtllm-serve", "!disaggregated !disaggregated_mpi_worker !mm_embedding_serve"},
    {Form::Kind::kModule, "tensorrt_llm.commands.serve", "serve"},
});

}  // namespace

constinit const Dialect kTrtllm{.id = "trtllm",
                                .forms = kForms,
                                .flags = kFlags,
                                .default_port = 8000,
                                .default_host = "localhost",
                                .ready_statuses = kOk,
                                .loading_statuses = kUnavailable,
                                .default_share = Share{ShareKind::kFreeAfter, 0.9, false},
                                .read = read};

}  // namespace antifreeze::engines
