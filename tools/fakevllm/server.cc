#include "fakevllm/server.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "core/text.h"
#include "fakevllm/child_process.h"
#include "fakevllm/failure.h"
#include "fakevllm/ledger.h"

namespace antifreeze::fakevllm {
namespace {

constexpr std::int64_t kFilePoll = 2 * kMillisecond;  // how often a --fake-wait file is looked for

}  // namespace

Server::Server(Config config, const TitleArea& title)
    : config_(std::move(config)),
      title_(title),
      http_(*this, static_cast<std::int64_t>(config_.http_keep_alive_s * 1e9)),
      jobs_(http_,
            [this](std::string_view what, const std::string& id, const Job& job) {
              if (!config_.journal_requests) return;
              note(what, [&](core::JsonLine& json) { json.add("job", id).add("produced", job.produced); });
            }),
      ollama_(config_, engines_, jobs_),
      routes_(*this),
      traps_(config_, true) {}

int Server::run() {
  signal_fd_ = make_signal_fd(true, config_.ignore_term);
  set_comm(config_.dialect->comm);
  // The clock first: whoever sees the journal's line may step a virtual one at once.
  deadline_ = after(config_.phase_ns[kImport] + config_.slow_ns[kImport]);
  enter(kImport);
  while (state_ != State::kDone) {
    step();
    if (state_ != State::kDone) wait();
  }
  return exit_code_;
}

void Server::enter(int phase) {
  note(phase_name(phase));
  traps_.enter(phase);
}

bool Server::due(int phase) {
  if (config_.clock.now_ns() < deadline_ || (traps_.hangs() && phase <= kBind)) return false;
  const auto& file = config_.wait_file[static_cast<std::size_t>(phase)];
  return file.empty() || access(file.c_str(), F_OK) == 0;
}

void Server::step() {
  const std::int64_t now = config_.clock.now_ns();
  if (now >= traps_.crash_at()) {
    note("crash");
    traps_.crash();
  }
  jobs_.expire(now);
  if (state_ == State::kImporting && due(kBind)) {
    enter(kBind);
    state_ = State::kBinding;
    deadline_ = after(config_.slow_ns[kBind]);
    return;  // a crash planned for this phase comes first
  }
  if (state_ == State::kBinding && due(kImport)) bind();
  if (state_ == State::kLoading && now >= deadline_) {
    say_error(
        "TimeoutError: Timed out waiting for engine core processes to start. This is often caused by slow "
        "weight loading for large models.");
    stop(1);
  }
  if (state_ == State::kListening && due(kServe)) serve();
  if (state_ == State::kDraining && (jobs_.empty() || now >= deadline_)) stop(config_.exit_code.value_or(0));
  if (state_ == State::kDead && now >= deadline_) stop(exit_code_);
  if (state_ == State::kStopping && engines_.empty()) finish(exit_code_);
  if (state_ == State::kStopping && mono_now_ns() >= kill_at_ns_) {
    for (auto& [key, engine] : engines_) engine->stop(true);
    kill_at_ns_ = kNever;
  }
  if (config_.dialect->listens == Listens::kLoadsLater && state_ == State::kServing) {
    for (const auto& model : ollama_.step(now)) {
      Config own = config_;
      own.model = model;
      own.served = model;
      engines_[model] = spawn_engine(std::move(own), title_);
    }
  }
}

void Server::bind() {
  const auto status = config_.uds.empty() ? http_.bind_tcp(config_.host, config_.port, config_.reuse_port)
                                          : http_.bind_unix(config_.uds);
  if (!status) {
    auto failed = status;
    say_error("OSError: [Errno " + std::to_string(failed.error().sys_errno()) + "] " + failed.error().message());
    note("fail", [&](core::JsonLine& json) { json.add("id", "bind").add("error", failed.error().message()); });
    return finish(1);
  }
  const auto& dialect = *config_.dialect;
  if (dialect.listens == Listens::kLoadsLater) {
    state_ = State::kListening;
    deadline_ = after(config_.slow_ns[kServe]);
    return;
  }
  if (dialect.listens == Listens::kAtOnce || config_.health_lie) listen();
  auto engine = spawn_engine(config_, title_);
  if (engine->pid < 0) {
    say_error("fakevllm: cannot fork");
    return finish(1);
  }
  engines_.emplace("", std::move(engine));
  state_ = State::kLoading;
  deadline_ = config_.clock.now_ns() + static_cast<std::int64_t>(config_.ready_timeout_s * 1e9);
}

void Server::listen() {
  if (auto status = http_.listen(); !status) say_error("fakevllm: " + status.error().message());
}

void Server::serve() {
  traps_.enter(kServe);
  listen();
  state_ = State::kServing;
  deadline_ = kNever;
  serving_since_ = config_.clock.now_ns();
  note("serve", [&](core::JsonLine& json) { json.add("port", http_.port()); });
  // The engine's accident of phase 7 may come with this message, so the line above is written before it.
  for (auto& [key, engine] : engines_) engine->channel.send("serve");
  say_error("INFO:     Started server process [" + std::to_string(getpid()) + "]");
  say_error("INFO:     Application startup complete.");
  if (config_.dialect->name == "llama")
    say("main: server is listening on http://" + config_.host + ":" + std::to_string(http_.port()));
  if (config_.dialect->name == "ollama")
    say_error("level=INFO source=routes.go:1576 msg=\"Listening on " + config_.host + ":" +
              std::to_string(http_.port()) + "\"");
  if (config_.zombies > 0) make_orphans(config_.zombies);
  if (config_.setsid_child.wanted) spawn_setsid_child(config_, config_.setsid_child);
}

void Server::submit(Job job) {
  const std::string engine = job.engine;
  jobs_.add(std::move(job));
  if (config_.dialect->listens == Listens::kLoadsLater) ollama_.want(engine);
  const auto it = engines_.find(engine);
  if (it == engines_.end() || it->second->state != EngineHandle::State::kReady) return;
  jobs_.start_waiting(engine, [&](const std::string& id, Job& waiting) {
    const auto& channel = it->second->channel;
    const std::string gen = "gen " + id + " " + std::to_string(waiting.tokens);
    const auto kind = waiting.kind;
    // A full channel means an engine that reads nothing any more: its clients wait, as they would.
    (void)channel.send(kind == Job::Kind::kSleep ? "sleep" : kind == Job::Kind::kWake ? "wake" : gen);
  });
}

void Server::on_request(ConnectionId id, HttpRequest request) { routes_.handle(id, request); }

void Server::on_disconnect(ConnectionId id) {
  const auto dropped = jobs_.drop_connection(id);
  if (!dropped) return;
  const auto it = engines_.find(dropped->second);
  if (it != engines_.end()) it->second->channel.send("abort " + dropped->first);
}

Health Server::health() const {
  if (state_ == State::kDead) return Health::kDead;
  if (config_.health_lie) return Health::kReady;
  if (state_ != State::kServing && state_ != State::kDraining) return Health::kLoading;
  if (config_.flap_ns > 0) {
    const std::int64_t since = config_.clock.now_ns() - serving_since_;
    if (since / std::max<std::int64_t>(config_.clock.scaled(config_.flap_ns), 1) % 2 == 1) return Health::kDead;
  }
  return Health::kReady;
}

std::int64_t Server::next_deadline() const {
  std::int64_t deadline = std::min({deadline_, traps_.crash_at(), jobs_.next_deadline(), ollama_.next_deadline()});
  // Waiting for a file: the time has come, but nothing tells us when it appears.
  const bool waits = state_ == State::kImporting || state_ == State::kListening;
  if (waits && deadline <= config_.clock.now_ns()) deadline = config_.clock.now_ns() + kFilePoll;
  return deadline;
}

void Server::wait() {
  std::vector<pollfd> fds{{signal_fd_, POLLIN, 0}};
  for (const auto& [key, engine] : engines_) {
    if (!engine->channel.closed()) fds.push_back({engine->channel.fd(), POLLIN, 0});
  }
  http_.add_poll(fds);
  int timeout = config_.clock.poll_timeout(next_deadline());
  // These two count real time, whatever clock the simulation runs on.
  for (const std::int64_t real : {http_.next_deadline(), kill_at_ns_}) {
    const int other = Clock().poll_timeout(real);
    if (other >= 0 && (timeout < 0 || other < timeout)) timeout = other;
  }
  (void)poll(fds.data(), fds.size(), timeout);
  on_signal();
  take_messages();
  reap();
  http_.handle(fds, mono_now_ns());
}

}  // namespace antifreeze::fakevllm
