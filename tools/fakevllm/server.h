// The parent process: imports, binds, starts its engine, serves, stops. One poll() loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/json_line.h"
#include "fakevllm/config.h"
#include "fakevllm/engine_handle.h"
#include "fakevllm/http_server.h"
#include "fakevllm/jobs.h"
#include "fakevllm/ollama.h"
#include "fakevllm/process.h"
#include "fakevllm/routes.h"
#include "fakevllm/traps.h"

namespace antifreeze::fakevllm {

class Server : public HttpHandler, public ServerView {
 public:
  Server(Config config, const TitleArea& title);
  /// Until the server ends; its exit code.
  int run();

  void on_request(ConnectionId id, HttpRequest request) override;
  void on_disconnect(ConnectionId id) override;

  // What the routes see.
  [[nodiscard]] const Config& config() const override { return config_; }
  [[nodiscard]] Health health() const override;
  [[nodiscard]] bool draining() const override { return state_ == State::kDraining; }
  HttpServer& http() override { return http_; }
  Jobs& jobs() override { return jobs_; }
  Ollama& ollama() override { return ollama_; }
  void submit(Job job) override;
  void set_asleep(bool asleep) override { asleep_ = asleep; }
  [[nodiscard]] bool asleep() const override { return asleep_; }

 private:
  enum class State {
    kImporting,
    kBinding,
    kLoading,
    kListening,  ///< the engine is ready, the port about to be
    kServing,
    kDraining,  ///< TERM came, requests in flight may finish
    kDead,      ///< the engine died, /health says 503
    kStopping,  ///< waiting for engine processes to go
    kDone,
  };

  void step();
  void enter(int phase);
  /// The phase that the state waits to begin may begin: its time has come and its file exists.
  bool due(int phase);
  void bind();
  void listen();
  void serve();
  void spawn_extras() const;
  void take_messages();
  void take_engine_message(const std::string& key, EngineHandle& engine, std::string_view message);
  void reap();
  void on_engine_exit(const std::string& key, std::unique_ptr<EngineHandle> engine, int status);
  void on_signal();
  void stop(int code);
  void finish(int code);
  [[nodiscard]] std::int64_t next_deadline() const;
  void wait();
  /// A journal line of the parent, with the device's free memory. Never blocks on a wedged device.
  void note(std::string_view phase, const std::function<void(core::JsonLine&)>& extra = nullptr) const;
  [[nodiscard]] std::int64_t after(std::int64_t unscaled_ns) const {
    return config_.clock.now_ns() + config_.clock.scaled(unscaled_ns);
  }

  Config config_;
  const TitleArea& title_;
  HttpServer http_;
  Jobs jobs_;
  Ollama ollama_;
  Routes routes_;
  Traps traps_;
  State state_ = State::kImporting;
  std::map<std::string, std::unique_ptr<EngineHandle>> engines_;
  std::int64_t deadline_ = kNever;    ///< of the state, on the configured clock
  std::int64_t kill_at_ns_ = kNever;  ///< CLOCK_MONOTONIC
  std::int64_t serving_since_ = 0;
  int exit_code_ = 0;
  int signal_fd_ = -1;
  bool asleep_ = false;
  bool warm_ = false;  ///< SGLang: loaded, warming up
};

}  // namespace antifreeze::fakevllm
