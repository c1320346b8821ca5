// LMDeploy's api_server. Source: lmdeploy/cli/serve.py.
#include <array>

#include "core/text.h"
#include "engines/rows.h"

namespace antifreeze::engines {
namespace {

enum Key { kPort = kNeighbour + 1, kHost, kCache, kTensorParallel, kDataParallel, kSsl };

constexpr std::array kFlags = std::to_array<Flag>({
    {"--server-port", kPort},
    {"--server-name", kHost},
    {"--cache-max-entry-count", kCache},
    {"--tp", kTensorParallel},
    {"--dp", kDataParallel},
    {"--ssl", kSsl, false},
    {"--cache-block-seq-len", kNeighbour},
    {"--session-len", kNeighbour},
});

void read(const ParsedArgs& args, const Environment& env, EngineFacts& facts) {
  read_port_and_host(args, env, kPort, nullptr, kHost, nullptr, facts);
  facts.model = text_of(args.first_operand());
  facts.tls = args.has(kSsl);
  // How --dp and --tp combine has changed between versions.
  if (!args.has(kDataParallel)) facts.gpus = count_of(args, kTensorParallel);
  read_share(args, kCache, facts);
  if (const Word* cache = args.value(kCache); !facts.share && cache != nullptr && cache->known()) {
    if (core::parse_uint(cache->text)) facts.share_unknown = "it is given as a number of cache blocks";
  } else if (cache != nullptr && facts.share && cache->text == "1") {
    forget_share("it is given as a number of cache blocks", facts);
  }
}

constexpr std::array kForms = std::to_array<Form>({
    {Form::Kind::kProgram, "lmdeploy", "serve api_server"},
    {Form::Kind::kModule, "lmdeploy", "serve api_server"},
    {Form::Kind::kModule, "lmdeploy.serve.openai.api_server"},
});

}  // namespace

// Answers 200 while it sleeps, too.
constinit const Dialect kLmdeploy{.id = "lmdeploy",
                                  .forms = kForms,
                                  .flags = kFlags,
                                  .grammar = Grammar::kPrefixes,
                                  .default_port = 23333,
                                  .ready_statuses = kOk,
                                  .loading_statuses = kUnavailable,
                                  .default_share = Share{ShareKind::kFreeAfter, 0.8, false},
                                  .read = read};

}  // namespace antifreeze::engines
