// vLLM and its fork Aphrodite. Sources: vllm/engine/arg_utils.py, vllm/entrypoints/openai/cli_args.py and the grammar
// of its FlexibleArgumentParser (plain argparse besides underscores, dotted names and -O).
#include <array>

#include "core/text.h"
#include "engines/rows.h"

namespace antifreeze::engines {
namespace {

enum Key {
  kPort = kNeighbour + 1,
  kHost,
  kUds,
  kUtilization,
  kKvBytes,
  kTensorParallel,
  kPipelineParallel,
  kPrefillContextParallel,
  kDataParallel,
  kDataParallelLocal,
  kDataParallelRank,
  kDataParallelExternal,
  kNodes,
  kConfig,
  kSslKey,
  kSslCert,
  kModel,
  kHeadless,
};

// Options that matter, and those whose names begin alike, so that a prefix that vLLM finds ambiguous is so here too.
constexpr std::array kFlags = std::to_array<Flag>({
    {"--port", kPort},
    {"--host", kHost},
    {"--uds", kUds},
    {"--gpu-memory-utilization", kUtilization},
    {"--kv-cache-memory-bytes", kKvBytes},
    {"--tensor-parallel-size", kTensorParallel},
    {"-tp", kTensorParallel},
    {"--pipeline-parallel-size", kPipelineParallel},
    {"-pp", kPipelineParallel},
    {"--prefill-context-parallel-size", kPrefillContextParallel},
    {"-pcp", kPrefillContextParallel},
    {"--data-parallel-size", kDataParallel},
    {"-dp", kDataParallel},
    {"--data-parallel-size-local", kDataParallelLocal},
    {"-dpl", kDataParallelLocal},
    {"--data-parallel-rank", kDataParallelRank},
    {"-dpn", kDataParallelRank},
    {"--data-parallel-external-lb", kDataParallelExternal, false},
    {"-dpe", kDataParallelExternal, false},
    {"--nnodes", kNodes},
    {"-n", kNodes},
    {"--config", kConfig},
    {"--ssl-keyfile", kSslKey},
    {"--ssl-certfile", kSslCert},
    {"--model", kModel},
    {"--headless", kHeadless, false},
    {"--config-format", kNeighbour},
    {"--data-parallel-address", kNeighbour},
    {"--data-parallel-backend", kNeighbour},
    {"--data-parallel-hybrid-lb", kNeighbour, false},
    {"--data-parallel-multi-port-external-lb", kNeighbour, false},
    {"--data-parallel-rpc-port", kNeighbour},
    {"--data-parallel-start-rank", kNeighbour},
    {"--data-parallel-supervisor-port", kNeighbour},
    {"--help", kNeighbour, false},
    {"--hf-config-path", kNeighbour},
    {"--hf-overrides", kNeighbour},
    {"--hf-token", kNeighbour},
    {"--kv-cache-dtype", kNeighbour},
    {"--kv-cache-metrics", kNeighbour, false},
    {"--kv-events-config", kNeighbour},
    {"--kv-offloading-size", kNeighbour},
    {"--kv-sharing-fast-prefill", kNeighbour, false},
    {"--kv-transfer-config", kNeighbour},
    {"--model-class-overrides", kNeighbour},
    {"--model-impl", kNeighbour},
    {"--model-loader-extra-config", kNeighbour},
    {"--model-tag", kNeighbour},
    {"--node-rank", kNeighbour},
    {"--num-gpu-blocks-override", kNeighbour},
    {"--pooler-config", kNeighbour},
    {"--ssl-ca-certs", kNeighbour},
    {"--ssl-cert-reqs", kNeighbour},
    {"--ssl-ciphers", kNeighbour},
    {"--uvicorn-log-level", kNeighbour},
});

constexpr std::array kAphroditeFlags = [] {
  std::array<Flag, kFlags.size() + 1> flags{};
  for (std::size_t i = 0; i < kFlags.size(); ++i) flags[i] = kFlags[i];
  flags.back() = {"-gmu", kUtilization};
  return flags;
}();

// "6G" = 6 x 2^30, "6g" = 6 x 10^9, "6442450944"; a fraction only in front of a small letter. As vLLM reads it.
std::optional<std::uint64_t> human_bytes(std::string_view text) {
  constexpr std::string_view kUnits = "kmgtKMGT";
  constexpr std::array<double, 8> kFactors{1e3, 1e6, 1e9, 1e12, 1024.0, 1048576.0, 1073741824.0, 1099511627776.0};
  text = core::trim(text);
  if (text.empty()) return std::nullopt;
  const auto unit = kUnits.find(text.back());
  if (unit == std::string_view::npos) return core::parse_uint(text);
  text.remove_suffix(1);
  const bool binary = unit >= 4;
  if (binary && text.find('.') != std::string_view::npos) return std::nullopt;
  const auto number = core::parse_decimal(text);
  if (!number || *number * kFactors[unit] >= 1e18) return std::nullopt;
  return static_cast<std::uint64_t>(*number * kFactors[unit]);
}

// Replicas of the whole model on this host.
std::optional<unsigned> local_replicas(const ParsedArgs& args) {
  if (args.has(kDataParallelLocal)) return count_of(args, kDataParallelLocal);
  if (args.has(kDataParallelRank) || args.has(kDataParallelExternal)) return 1;
  return count_of(args, kDataParallel);
}

std::optional<unsigned> local_gpus(const ParsedArgs& args) {
  const auto product = multiply({count_of(args, kTensorParallel), count_of(args, kPipelineParallel),
                                 count_of(args, kPrefillContextParallel), local_replicas(args)});
  return divide_over_nodes(product, count_of(args, kNodes));
}

void read(const ParsedArgs& args, const Environment& env, EngineFacts& facts) {
  // VLLM_PORT and VLLM_HOST_IP are for the workers among themselves, not for the API.
  read_port_and_host(args, env, kPort, nullptr, kHost, nullptr, facts);
  facts.model = text_of(args.has(kModel) ? args.value(kModel) : args.first_operand());
  facts.tls = args.has(kSslKey) || args.has(kSslCert);
  facts.gpus = local_gpus(args);
  if (auto path = text_of(args.value(kUds))) {
    facts.uds = std::move(path);
    facts.port.reset();
    facts.host.reset();
  }
  if (args.has(kHeadless)) {
    facts.caveats.no_server = true;
    facts.port.reset();
  }
  read_share(args, kUtilization, facts);
  facts.config_file = text_of(args.value(kConfig));
  if (args.has(kConfig) && !args.has(kUtilization)) forget_share("it may be in the file that --config names", facts);
  if (const Word* bytes = args.value(kKvBytes); bytes != nullptr && bytes->known()) {
    facts.kv_bytes = human_bytes(bytes->text);
  }
}

constexpr std::array kForms = std::to_array<Form>({
    {Form::Kind::kProgram, "vllm", "serve"},
    {Form::Kind::kProgram, "fakevllm", "serve"},
    {Form::Kind::kModule, "vllm.entrypoints.openai.api_server"},
    {Form::Kind::kModule, "vllm.entrypoints.api_server"},
    {Form::Kind::kModule, "vllm.entrypoints.cli.main", "serve"},
    {Form::Kind::kProgram, "vllm/entrypoints/openai/api_server.py"},
});

constexpr std::array kAphroditeForms = std::to_array<Form>({
    {Form::Kind::kProgram, "aphrodite", "run"},
    {Form::Kind::kProgram, "aphrodite", "serve"},
    {Form::Kind::kModule, "aphrodite.endpoints.openai.api_server"},
    {Form::Kind::kModule, "aphrodite.endpoints.cli", "run"},
});

}  // namespace

// Refuses connections until it is ready; 503 means that the engine has died, not that it loads.
constinit const Dialect kVllm{.id = "vllm",
                              .forms = kForms,
                              .flags = kFlags,
                              .grammar = Grammar::kPrefixes,
                              .default_port = 8000,
                              .ready_statuses = kOk,
                              .caveats = {.flag_only = true},
                              .default_share = Share{ShareKind::kTotal, 0.92, false},  // 0.9 until about 0.20
                              .read = read};

constinit const Dialect kAphrodite{.id = "aphrodite",
                                   .forms = kAphroditeForms,
                                   .flags = kAphroditeFlags,
                                   .grammar = Grammar::kPrefixes,
                                   .default_port = 2242,
                                   .ready_statuses = kOk,
                                   .caveats = {.flag_only = true},
                                   .default_share = Share{ShareKind::kTotal, 0.92, false},
                                   .read = read};

}  // namespace antifreeze::engines
