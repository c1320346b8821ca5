// llama.cpp's llama-server. Sources: common/arg.cpp and tools/server/README.md: names whole, every option with its
// LLAMA_ARG_ twin, the command line goes first.
#include <algorithm>
#include <array>

#include "engines/rows.h"

namespace antifreeze::engines {
namespace {

enum Key { kPort = kNeighbour + 1, kHost, kPrefix, kSslKey, kSslCert, kModel, kModelUrl, kHfRepo, kDockerRepo };

constexpr std::array kFlags = std::to_array<Flag>({
    {"--port", kPort},
    {"--host", kHost},
    {"--api-prefix", kPrefix},
    {"--ssl-key-file", kSslKey},
    {"--ssl-cert-file", kSslCert},
    {"--model", kModel},
    {"-m", kModel},
    {"--model-url", kModelUrl},
    {"-mu", kModelUrl},
    {"--hf-repo", kHfRepo},
    {"-hf", kHfRepo},
    {"-hfr", kHfRepo},
    {"--docker-repo", kDockerRepo},
    {"-dr", kDockerRepo},
});

std::optional<std::string> model_of(const ParsedArgs& args, const Environment& env) {
  constexpr std::array<std::pair<Key, const char*>, 4> kSources{{{kModel, "LLAMA_ARG_MODEL"},
                                                                 {kHfRepo, "LLAMA_ARG_HF_REPO"},
                                                                 {kModelUrl, "LLAMA_ARG_MODEL_URL"},
                                                                 {kDockerRepo, "LLAMA_ARG_DOCKER_REPO"}}};
  for (const auto& [key, variable] : kSources) {
    if (const auto word = setting(args, key, env, variable)) return word->text;
  }
  return std::nullopt;
}

// "--gpt-oss-20b-default" and its like name a model by themselves.
bool has_preset(const ParsedArgs& args) {
  return std::any_of(args.words().begin(), args.words().end(), [](const Word& word) {
    return word.certainty == Certainty::kAnyWords || (word.text.starts_with("--") && word.text.ends_with("-default"));
  });
}

void read(const ParsedArgs& args, const Environment& env, EngineFacts& facts) {
  const auto host = setting(args, kHost, env, "LLAMA_ARG_HOST");
  set_port(setting(args, kPort, env, "LLAMA_ARG_PORT"), !args.may_be_overridden(kPort), facts);
  set_host(host, facts);
  if (host && host->known() && host->text.ends_with(".sock")) {
    facts.uds = host->text;
    facts.port.reset();
    facts.host.reset();
  }
  facts.tls = setting(args, kSslKey, env, "LLAMA_ARG_SSL_KEY_FILE").has_value() &&
              setting(args, kSslCert, env, "LLAMA_ARG_SSL_CERT_FILE").has_value();
  if (const auto prefix = setting(args, kPrefix, env, "LLAMA_ARG_API_PREFIX"); prefix && prefix->known()) {
    facts.health.path = prefix->text + facts.health.path;
  }
  facts.model = model_of(args, env);
  // Without a model it is a router, which loads what is asked for.
  facts.caveats.ready_before_load = !facts.model && !has_preset(args) && args.first_operand() == nullptr;
}

constexpr std::array kForms = std::to_array<Form>({
    {Form::Kind::kProgram, "llama-server"},
    {Form::Kind::kProgram, "fakellama"},
    {Form::Kind::kProgram, "llama.cpp/server"},
});

}  // namespace

// Listens while it loads.
constinit const Dialect kLlamaServer{.id = "llama-server",
                                     .forms = kForms,
                                     .flags = kFlags,
                                     .default_port = 8080,
                                     .default_host = "127.0.0.1",
                                     .ready_statuses = kOk,
                                     .loading_statuses = kUnavailable,
                                     .read = read};

}  // namespace antifreeze::engines
