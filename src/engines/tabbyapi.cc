// TabbyAPI. Sources: common/args.py, common/config_models.py. Started as main.py or start.py, which half of the world's
// programs are called; most settings are in config.yml.
#include <algorithm>
#include <array>

#include "engines/rows.h"

namespace antifreeze::engines {
namespace {

enum Key { kPort = kNeighbour + 1, kHost, kConfig, kModel, kOwn };

constexpr std::array kFlags = std::to_array<Flag>({
    {"--port", kPort},
    {"--host", kHost},
    {"--config", kConfig},
    {"--model-name", kModel},
    // Options that only this program has.
    {"--autosplit-reserve", kOwn},
    {"--gpu-split-auto", kOwn},
    {"--inline-model-loading", kOwn},
    {"--use-dummy-models", kOwn},
    {"--draft-model-name", kNeighbour},
    {"--model-dir", kNeighbour},
    {"--override-preset", kNeighbour},
});

constexpr std::array<const char*, 4> kOwnVariables{"TABBY_NETWORK_PORT", "TABBY_NETWORK_HOST", "TABBY_MODEL_MODEL_NAME",
                                                   "TABBY_MODEL_MODEL_DIR"};

bool confirms(const ParsedArgs& args, const Environment& env) {
  return args.has(kOwn) || std::any_of(kOwnVariables.begin(), kOwnVariables.end(),
                                       [&](const char* name) { return env.get(name).has_value(); });
}

void read(const ParsedArgs& args, const Environment& env, EngineFacts& facts) {
  // The file goes before the environment and behind the command line.
  read_port_and_host(args, env, kPort, "TABBY_NETWORK_PORT", kHost, "TABBY_NETWORK_HOST", facts);
  facts.port_stated = facts.port_stated && args.has(kPort);
  if (const auto model = setting(args, kModel, env, "TABBY_MODEL_MODEL_NAME")) facts.model = text_of(&*model);
  const auto config = text_of(args.value(kConfig));
  facts.config_file = config ? *config : "config.yml";
}

constexpr std::array kForms = std::to_array<Form>({
    {Form::Kind::kProgram, "tabbyAPI/main.py"},
    {Form::Kind::kProgram, "tabbyAPI/start.py"},
    {Form::Kind::kProgram, "tabbyapi/main.py"},
    {Form::Kind::kProgram, "tabbyapi/start.py"},
    {Form::Kind::kProgram, "tabby-api/main.py"},
    {Form::Kind::kProgram, "tabby-api/start.py"},
    {Form::Kind::kProgram, "tabbyAPI/start.sh"},
    {Form::Kind::kProgram, "tabbyapi"},
    {.kind = Form::Kind::kProgram, .name = "main.py", .needs_proof = true},
    {.kind = Form::Kind::kProgram, .name = "start.py", .needs_proof = true},
});

}  // namespace

constinit const Dialect kTabbyApi{.id = "tabbyapi",
                                  .forms = kForms,
                                  .flags = kFlags,
                                  .grammar = Grammar::kPrefixes,
                                  .default_port = 5000,
                                  .default_host = "127.0.0.1",
                                  .ready_statuses = kOk,
                                  .loading_statuses = kUnavailable,
                                  .read = read,
                                  .confirms = confirms};

}  // namespace antifreeze::engines
