// SGLang. Sources: its server_args documentation; the meaning of the share second-hand (knowledge/engines.md).
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
  kDataParallel,
  kDpAttention,
  kNodes,
  kConfig,
  kSslKey,
  kSslCert,
  kModel,
};

constexpr std::array kFlags = std::to_array<Flag>({
    {"--port", kPort},
    {"--host", kHost},
    {"--mem-fraction-static", kFraction},
    {"--tensor-parallel-size", kTensorParallel},
    {"--tp-size", kTensorParallel},
    {"--tp", kTensorParallel},
    {"--pipeline-parallel-size", kPipelineParallel},
    {"--pp-size", kPipelineParallel},
    {"--pp", kPipelineParallel},
    {"--data-parallel-size", kDataParallel},
    {"--dp-size", kDataParallel},
    {"--dp", kDataParallel},
    {"--enable-dp-attention", kDpAttention, false},
    {"--nnodes", kNodes},
    {"--config", kConfig},
    {"--ssl-keyfile", kSslKey},
    {"--ssl-certfile", kSslCert},
    {"--model-path", kModel},
    {"--model", kModel},
    {"--enable-dp-lm-head", kNeighbour, false},
    {"--help", kNeighbour, false},
    {"--model-impl", kNeighbour},
    {"--model-loader-extra-config", kNeighbour},
    {"--node-rank", kNeighbour},
    {"--pp-max-micro-batch-size", kNeighbour},
    {"--ssl-ca-certs", kNeighbour},
});

void read(const ParsedArgs& args, const Environment& env, EngineFacts& facts) {
  read_port_and_host(args, env, kPort, nullptr, kHost, nullptr, facts);
  facts.model = text_of(args.has(kModel) ? args.value(kModel) : args.first_operand());
  facts.tls = args.has(kSslKey) || args.has(kSslCert);
  const auto generates = env.known("SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION");
  facts.caveats.health_generates = !generates || (*generates != "0" && *generates != "false" && *generates != "False");
  // With attention sharded by data parallelism the replicas live on the tensor-parallel GPUs.
  const auto replicas = args.has(kDpAttention) ? std::optional<unsigned>(1) : count_of(args, kDataParallel);
  facts.gpus = divide_over_nodes(
      multiply({count_of(args, kTensorParallel), count_of(args, kPipelineParallel), replicas}), count_of(args, kNodes));
  read_share(args, kFraction, facts);
  facts.config_file = text_of(args.value(kConfig));
  if (args.has(kConfig) && !args.has(kFraction)) forget_share("it may be in the file that --config names", facts);
}

constexpr std::array kForms = std::to_array<Form>({
    {Form::Kind::kModule, "sglang.launch_server"},
    {Form::Kind::kModule, "sglang.cli.main", "serve"},
    {Form::Kind::kProgram, "sglang", "serve"},
    {Form::Kind::kProgram, "sglang/launch_server.py"},
    {Form::Kind::kProgram, "fakesglang"},
});

}  // namespace

constinit const Dialect kSglang{.id = "sglang",
                                .forms = kForms,
                                .flags = kFlags,
                                .grammar = Grammar::kPrefixes,
                                .default_port = 30000,
                                .default_host = "127.0.0.1",
                                .ready_statuses = kOk,
                                .loading_statuses = kUnavailable,
                                .default_share = Share{ShareKind::kFreeBefore, std::nullopt, false},
                                .read = read};

}  // namespace antifreeze::engines
