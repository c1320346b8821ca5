// Which paths are answered how, for each engine.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fakevllm/config.h"
#include "fakevllm/http_server.h"
#include "fakevllm/jobs.h"

namespace antifreeze::fakevllm {

class Ollama;

/// What a health check would see.
enum class Health { kLoading, kReady, kDead };

/// What the routes may ask of, and tell, the server.
class ServerView {
 public:
  virtual ~ServerView() = default;
  [[nodiscard]] virtual const Config& config() const = 0;
  [[nodiscard]] virtual Health health() const = 0;
  [[nodiscard]] virtual bool draining() const = 0;
  virtual HttpServer& http() = 0;
  virtual Jobs& jobs() = 0;
  virtual Ollama& ollama() = 0;
  /// Hands a request to its engine, now or when that is ready.
  virtual void submit(Job job) = 0;
  virtual void set_asleep(bool asleep) = 0;
  [[nodiscard]] virtual bool asleep() const = 0;
};

class Routes {
 public:
  explicit Routes(ServerView& server) : server_(server) {}
  void handle(ConnectionId id, const HttpRequest& request);

  using Handler = void (Routes::*)(ConnectionId, const HttpRequest&);
  /// One line of the table. `dialects` and `methods` are lists with bars.
  struct Route {
    std::string_view dialects;
    std::string_view methods;
    std::string_view path;
    Handler handler;
  };

 private:
  static std::span<const Route> table();
  void health(ConnectionId id, const HttpRequest& request);
  void probe_health(ConnectionId id, const HttpRequest& request);
  void llama_health(ConnectionId id, const HttpRequest& request);
  void infinity_health(ConnectionId id, const HttpRequest& request);
  void fine(ConnectionId id, const HttpRequest& request);
  void models(ConnectionId id, const HttpRequest& request);
  void version(ConnectionId id, const HttpRequest& request);
  void load(ConnectionId id, const HttpRequest& request);
  void metrics(ConnectionId id, const HttpRequest& request);
  void is_sleeping(ConnectionId id, const HttpRequest& request);
  void sleep(ConnectionId id, const HttpRequest& request);
  void wake_up(ConnectionId id, const HttpRequest& request);
  void completions(ConnectionId id, const HttpRequest& request);
  void chat(ConnectionId id, const HttpRequest& request);
  void embeddings(ConnectionId id, const HttpRequest& request);
  void ollama_root(ConnectionId id, const HttpRequest& request);
  void ollama_generate(ConnectionId id, const HttpRequest& request);
  void ollama_ps(ConnectionId id, const HttpRequest& request);
  void ollama_tags(ConnectionId id, const HttpRequest& request);

  void generate(ConnectionId id, const HttpRequest& request, Job::Kind kind);
  void json(ConnectionId id, int status, std::string_view body) {
    server_.http().respond(id, status, "application/json", body);
  }
  bool authorised(const HttpRequest& request) const;

  ServerView& server_;
};

}  // namespace antifreeze::fakevllm
