// Infinity. Sources: infinity_emb/cli.py and env.py. /health stays where it is whatever --url-prefix says, and the app
// starts to listen only after the models are loaded.
#include <array>

#include "engines/rows.h"

namespace antifreeze::engines {
namespace {

enum Key { kPort = kNeighbour + 1, kHost, kModel };

constexpr std::array kFlags = std::to_array<Flag>({
    {"--port", kPort},
    {"--host", kHost},
    {"--model-id", kModel},
    {"--model-name-or-path", kModel},
});

void read(const ParsedArgs& args, const Environment& env, EngineFacts& facts) {
  read_port_and_host(args, env, kPort, "INFINITY_PORT", kHost, "INFINITY_HOST", facts);
  if (const auto model = setting(args, kModel, env, "INFINITY_MODEL_ID")) facts.model = text_of(&*model);
}

constexpr std::array kForms = std::to_array<Form>({
    {Form::Kind::kProgram, "infinity_emb", "v2"},
    {Form::Kind::kProgram, "infinity_emb", "v1"},
    {Form::Kind::kProgram, "infinity_emb", "!help"},
    {Form::Kind::kModule, "infinity_emb", "v2"},
});

}  // namespace

constinit const Dialect kInfinity{.id = "infinity",
                                  .forms = kForms,
                                  .flags = kFlags,
                                  .default_port = 7997,
                                  .ready_statuses = kOk,
                                  .caveats = {.flag_only = true},
                                  .read = read};

}  // namespace antifreeze::engines
