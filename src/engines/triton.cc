// NVIDIA Triton. Its shares are in the models' own config.pbtxt, out of sight from here.
#include <array>

#include "engines/rows.h"

namespace antifreeze::engines {
namespace {

enum Key { kHttpPort = kNeighbour + 1, kHttpAddress, kAllowHttp, kGrpcPort, kControlMode, kLoadModel, kRepository };

constexpr std::array kFlags = std::to_array<Flag>({
    {"--http-port", kHttpPort},
    {"--http-address", kHttpAddress},
    {"--allow-http", kAllowHttp},
    {"--grpc-port", kGrpcPort},
    {"--model-control-mode", kControlMode},
    {"--load-model", kLoadModel},
    {"--model-repository", kRepository},
    {"--model-store", kRepository},
    {"--http-header-forward-pattern", kNeighbour},
    {"--http-restricted-api", kNeighbour},
    {"--http-thread-count", kNeighbour},
    {"--model-config-name", kNeighbour},
    {"--model-load-thread-count", kNeighbour},
});

void read(const ParsedArgs& args, const Environment& env, EngineFacts& facts) {
  read_port_and_host(args, env, kHttpPort, nullptr, kHttpAddress, nullptr, facts);
  facts.model = text_of(args.value(kRepository));
  const Word* http = args.value(kAllowHttp);
  if (http != nullptr && (http->text == "false" || http->text == "0" || http->text == "False")) {
    constexpr std::uint16_t kDefaultGrpcPort = 8001;
    facts.health = {};
    facts.port = kDefaultGrpcPort;
    set_port(setting(args, kGrpcPort, env, nullptr), true, facts);
  }
  const Word* mode = args.value(kControlMode);
  facts.caveats.ready_before_load = mode != nullptr && mode->text == "explicit" && !args.has(kLoadModel);
}

constexpr std::array kForms = std::to_array<Form>({{Form::Kind::kProgram, "tritonserver"}});
constexpr std::array<int, 2> kNotReady{400, 503};

}  // namespace

constinit const Dialect kTriton{.id = "triton",
                                .forms = kForms,
                                .flags = kFlags,
                                .grammar = Grammar::kPrefixes,
                                .default_port = 8000,
                                .health_path = "/v2/health/ready",
                                .ready_statuses = kOk,
                                .loading_statuses = kNotReady,
                                .read = read};

}  // namespace antifreeze::engines
