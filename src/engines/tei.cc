// Text Embeddings Inference. Source: router/src/main.rs: every option has an environment twin of its own name, and the
// images set PORT=80.
#include <array>

#include "engines/rows.h"

namespace antifreeze::engines {
namespace {

enum Key { kPort = kNeighbour + 1, kHost, kModel };

constexpr std::array kFlags = std::to_array<Flag>({
    {"--port", kPort},
    {"-p", kPort},
    {"--hostname", kHost},
    {"--model-id", kModel},
});

// HOSTNAME is also what Docker puts a container's name into; the router falls back to 0.0.0.0 for what is no address.
bool is_address(std::string_view text) {
  return text.find(':') != std::string_view::npos ||
         (text.find('.') != std::string_view::npos && text.find_first_not_of("0123456789.") == std::string_view::npos);
}

void read(const ParsedArgs& args, const Environment& env, EngineFacts& facts) {
  // --uds-path is for the router's own back end, not for clients.
  set_port(setting(args, kPort, env, "PORT"), !args.may_be_overridden(kPort), facts);
  auto host = setting(args, kHost, env, "HOSTNAME");
  if (host && host->known() && !is_address(host->text)) host = Word("");
  set_host(host, facts);
  if (const auto model = setting(args, kModel, env, "MODEL_ID")) facts.model = text_of(&*model);
  facts.gpus = 1;
}

constexpr std::array kForms = std::to_array<Form>({
    {Form::Kind::kProgram, "text-embeddings-router"},
    // One a compute capability in the image that fits all cards.
    {Form::Kind::kProgram, "text-embeddings-router-75"},
    {Form::Kind::kProgram, "text-embeddings-router-80"},
    {Form::Kind::kProgram, "text-embeddings-router-90"},
    {Form::Kind::kProgram, "text-embeddings-router-120"},
    {Form::Kind::kProgram, "faketei"},
});

}  // namespace

// Refuses connections until it has warmed up.
constinit const Dialect kTei{
    .id = "tei", .forms = kForms, .flags = kFlags, .default_port = 3000, .ready_statuses = kOk, .read = read};

}  // namespace antifreeze::engines
