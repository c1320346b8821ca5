#include "fakevllm/routes.h"

#include <array>
#include <ctime>

#include "core/text.h"
#include "fakevllm/json_text.h"
#include "fakevllm/ollama.h"

namespace antifreeze::fakevllm {
namespace {

constexpr std::string_view kVersion = "{\"version\":\"0.0.0+fake\"}";
constexpr std::string_view kOpenAi = "vllm|sglang|llama|trtllm|lmdeploy|ollama";

}  // namespace

std::span<const Routes::Route> Routes::table() {
  // First match wins.
  static constexpr std::array<Route, 38> kTable{{
      {"vllm", "GET", "/health", &Routes::health},
      {"vllm", "GET|POST", "/ping", &Routes::health},
      {"sglang", "GET", "/health", &Routes::probe_health},
      {"sglang", "GET", "/health_generate", &Routes::probe_health},
      {"sglang", "GET|POST", "/ping", &Routes::fine},
      {"llama", "GET", "/health", &Routes::llama_health},
      {"llama", "GET", "/v1/health", &Routes::llama_health},
      {"tei", "GET", "/health", &Routes::health},
      {"tei", "GET", "/ping", &Routes::health},
      {"trtllm|lmdeploy", "GET", "/health", &Routes::health},
      {"infinity", "GET", "/health", &Routes::infinity_health},
      {"vllm|sglang|llama|trtllm|lmdeploy|ollama|tei|infinity", "GET", "/v1/models", &Routes::models},
      {"infinity", "GET", "/models", &Routes::models},
      {"vllm|trtllm", "GET", "/version", &Routes::version},
      {"vllm", "GET", "/load", &Routes::load},
      {"vllm|sglang|llama|tei|infinity", "GET", "/metrics", &Routes::metrics},
      {"vllm", "GET", "/is_sleeping", &Routes::is_sleeping},
      {"vllm", "POST", "/sleep", &Routes::sleep},
      {"vllm", "POST", "/wake_up", &Routes::wake_up},
      {"sglang", "POST", "/release_memory_occupation", &Routes::sleep},
      {"sglang", "POST", "/resume_memory_occupation", &Routes::wake_up},
      {kOpenAi, "POST", "/v1/completions", &Routes::completions},
      {kOpenAi, "POST", "/v1/chat/completions", &Routes::chat},
      {"sglang", "POST", "/generate", &Routes::completions},
      {"llama", "POST", "/completion", &Routes::completions},
      {"vllm|sglang|llama|ollama|tei", "POST", "/v1/embeddings", &Routes::embeddings},
      {"tei", "POST", "/embed", &Routes::embeddings},
      {"tei", "POST", "/embeddings", &Routes::embeddings},
      {"infinity", "POST", "/embeddings", &Routes::embeddings},
      {"ollama", "GET|HEAD", "/", &Routes::ollama_root},
      {"ollama", "GET", "/api/version", &Routes::version},
      {"ollama", "GET", "/api/ps", &Routes::ollama_ps},
      {"ollama", "GET", "/api/tags", &Routes::ollama_tags},
      {"ollama", "POST", "/api/generate", &Routes::ollama_generate},
      {"ollama", "POST", "/api/chat", &Routes::ollama_generate},
      {"ollama", "POST", "/api/embed", &Routes::ollama_generate},
      {"llama", "GET", "/", &Routes::fine},
      {"tei", "GET", "/info", &Routes::models},
  }};
  return kTable;
}

void Routes::handle(ConnectionId id, const HttpRequest& request) {
  const auto dialect = server_.config().dialect->name;
  bool path_known = false;
  for (const auto& route : table()) {
    if (route.path != request.path || !in_list(route.dialects, dialect)) continue;
    path_known = true;
    if (!in_list(route.methods, request.method)) continue;
    // Only what needs no model is answered while it loads (llama.cpp and SGLang listen before they are ready).
    const bool always = request.path.find("health") != std::string::npos || request.path == "/ping";
    if (!always && server_.health() == Health::kLoading) {
      json(id, 503, openai_error(503, "unavailable_error", "Loading model"));
    } else if (request.path.starts_with("/v1/") && request.path != "/v1/health" && !authorised(request)) {
      json(id, 401, "{\"error\":\"Unauthorized\"}");
    } else {
      (this->*route.handler)(id, request);
    }
    return;
  }
  json(id, path_known ? 405 : 404, path_known ? "{\"detail\":\"Method Not Allowed\"}" : "{\"detail\":\"Not Found\"}");
}

bool Routes::authorised(const HttpRequest& request) const {
  const auto& key = server_.config().api_key;
  return key.empty() || request.header("authorization") == "Bearer " + key;
}

void Routes::health(ConnectionId id, const HttpRequest&) {
  server_.http().respond(id, server_.health() == Health::kReady ? 200 : 503, "", "");
}

void Routes::probe_health(ConnectionId id, const HttpRequest&) {
  if (server_.health() != Health::kReady || server_.draining()) return server_.http().respond(id, 503, "", "");
  Job job;
  job.connection = id;
  job.kind = Job::Kind::kProbe;
  job.tokens = 1;
  job.deadline_ns = server_.config().clock.now_ns() + server_.config().clock.scaled(20 * kSecond);
  server_.submit(std::move(job));
}

void Routes::llama_health(ConnectionId id, const HttpRequest&) {
  if (server_.health() == Health::kReady) return json(id, 200, "{\"status\":\"ok\"}");
  json(id, 503, openai_error(503, "unavailable_error", "Loading model"));
}

void Routes::infinity_health(ConnectionId id, const HttpRequest&) {
  json(id, 200, "{\"unix\":" + std::to_string(std::time(nullptr)) + "}");
}

void Routes::fine(ConnectionId id, const HttpRequest&) { server_.http().respond(id, 200, "text/plain", ""); }

void Routes::models(ConnectionId id, const HttpRequest&) {
  json(id, 200,
       "{\"object\":\"list\",\"data\":[{\"id\":" + json_string(server_.config().served) +
           ",\"object\":\"model\",\"owned_by\":\"fakevllm\",\"max_model_len\":" +
           std::to_string(server_.config().max_len) + "}]}");
}

void Routes::version(ConnectionId id, const HttpRequest&) { json(id, 200, kVersion); }

void Routes::load(ConnectionId id, const HttpRequest&) {
  json(id, 200, "{\"server_load\":" + std::to_string(server_.jobs().count(true) + server_.jobs().count(false)) + "}");
}

void Routes::metrics(ConnectionId id, const HttpRequest&) {
  const std::string name =
      server_.config().dialect->name == "vllm" ? "vllm" : std::string(server_.config().dialect->name);
  const std::string label = "{model_name=" + json_string(server_.config().served) + "} ";
  const auto gauge = [&](std::string_view metric, std::size_t value) {
    const std::string full = name + ":" + std::string(metric);
    return "# TYPE " + full + " gauge\n" + full + label + std::to_string(value) + ".0\n";
  };
  server_.http().respond(id, 200, "text/plain; version=0.0.4",
                         gauge("num_requests_running", server_.jobs().count(true)) +
                             gauge("num_requests_waiting", server_.jobs().count(false)));
}

void Routes::is_sleeping(ConnectionId id, const HttpRequest&) {
  if (!server_.config().dev_mode) return json(id, 404, "{\"detail\":\"Not Found\"}");
  json(id, 200, server_.asleep() ? "{\"is_sleeping\":true}" : "{\"is_sleeping\":false}");
}

void Routes::sleep(ConnectionId id, const HttpRequest&) {
  const auto& config = server_.config();
  const bool vllm = config.dialect->name == "vllm";
  if (vllm && !config.dev_mode) return json(id, 404, "{\"detail\":\"Not Found\"}");
  if (vllm && !config.sleep_mode) {
    return json(id, 500, openai_error(500, "InternalServerError", "sleep mode is not enabled"));
  }
  server_.jobs().fail_all(nullptr, "the engine goes to sleep", false);
  server_.set_asleep(true);
  Job job;
  job.connection = id;
  job.kind = Job::Kind::kSleep;
  server_.submit(std::move(job));
}

void Routes::wake_up(ConnectionId id, const HttpRequest&) {
  if (server_.config().dialect->name == "vllm" && !server_.config().dev_mode) {
    return json(id, 404, "{\"detail\":\"Not Found\"}");
  }
  Job job;
  job.connection = id;
  job.kind = Job::Kind::kWake;
  server_.submit(std::move(job));
}

void Routes::completions(ConnectionId id, const HttpRequest& request) { generate(id, request, Job::Kind::kCompletion); }
void Routes::chat(ConnectionId id, const HttpRequest& request) { generate(id, request, Job::Kind::kChat); }
void Routes::embeddings(ConnectionId id, const HttpRequest& request) { generate(id, request, Job::Kind::kEmbedding); }

void Routes::generate(ConnectionId id, const HttpRequest& request, Job::Kind kind) {
  if (server_.health() == Health::kDead) {
    return json(id, 500, openai_error(500, "InternalServerError", "EngineDeadError: EngineCore encountered an issue."));
  }
  if (server_.draining()) {
    return json(id, 503, openai_error(503, "ServiceUnavailable", "the server is shutting down"));
  }
  const auto fields = json_fields(request.body);
  const auto field = [&](std::string_view name) -> std::string {
    const auto it = fields.find(name);
    return it == fields.end() ? std::string() : it->second;
  };
  Job job;
  job.connection = id;
  job.kind = kind;
  job.model = field("model").empty() ? server_.config().served : field("model");
  job.stream = kind != Job::Kind::kEmbedding && field("stream") == "true";
  auto tokens = core::parse_uint(field("max_tokens"));
  if (!tokens) tokens = core::parse_uint(field("max_completion_tokens"));
  if (!tokens) tokens = core::parse_uint(field("n_predict"));
  // OpenAI's default for completions.
  job.tokens = kind == Job::Kind::kEmbedding ? 1 : tokens.value_or(16);
  if (job.tokens == 0) return json(id, 400, openai_error(400, "BadRequestError", "max_tokens must be at least 1"));
  if (server_.config().dialect->listens == Listens::kLoadsLater) job.engine = job.model;
  server_.submit(std::move(job));
}

void Routes::ollama_root(ConnectionId id, const HttpRequest& request) {
  server_.http().respond(id, 200, "text/plain", request.method == "HEAD" ? "" : "Ollama is running");
}

void Routes::ollama_tags(ConnectionId id, const HttpRequest&) { json(id, 200, "{\"models\":[]}"); }

void Routes::ollama_ps(ConnectionId id, const HttpRequest&) { json(id, 200, server_.ollama().ps()); }

void Routes::ollama_generate(ConnectionId id, const HttpRequest& request) {
  const auto fields = json_fields(request.body);
  const auto field = [&](std::string_view name) -> std::string {
    const auto it = fields.find(name);
    return it == fields.end() ? std::string() : it->second;
  };
  const std::string model = field("model");
  if (model.empty()) return json(id, 400, "{\"error\":\"model is required\"}");
  const bool chat = request.path == "/api/chat";
  const bool empty = chat ? field("messages").size() < 3 : field("prompt").empty() && field("input").empty();
  if (fields.contains("keep_alive")) server_.ollama().set_keep_alive(model, field("keep_alive"));
  if (empty && server_.ollama().keeps_nothing(model)) {
    server_.ollama().unload(model);
    return json(id, 200,
                "{\"model\":" + json_string(model) +
                    ",\"created_at\":\"2026-01-01T00:00:00Z\",\"response\":\"\",\"done\":true,"
                    "\"done_reason\":\"unload\"}");
  }
  Job job;
  job.connection = id;
  job.kind = chat ? Job::Kind::kOllamaChat : Job::Kind::kGenerate;
  job.model = model;
  job.engine = model;
  job.stream = field("stream") != "false";
  // "options":{"num_predict":N} is the one option that matters here.
  const auto options = json_fields(field("options"));
  const auto predict = options.find("num_predict");
  job.tokens = empty ? 0 : core::parse_uint(predict == options.end() ? "" : predict->second).value_or(16);
  server_.submit(std::move(job));
}

}  // namespace antifreeze::fakevllm
