// The server's second half: what its engine tells it, and every way in which it ends.
#include <poll.h>
#include <sys/wait.h>

#include <csignal>

#include "core/text.h"
#include "fakevllm/failure.h"
#include "fakevllm/ledger.h"
#include "fakevllm/server.h"

namespace antifreeze::fakevllm {
namespace {

/// llama.cpp, TEI: what we run as two processes is really one, so it ends as the engine ended.
bool is_one_process(const Dialect& dialect) { return dialect.comm == dialect.child_comm; }

}  // namespace

void Server::take_messages() {
  for (auto& [key, engine] : engines_) {
    while (auto message = engine->channel.receive()) take_engine_message(key, *engine, *message);
  }
}

void Server::take_engine_message(const std::string& key, EngineHandle& engine, std::string_view message) {
  if (message == "awake") asleep_ = false;
  if (jobs_.take_message(key, message)) return;
  const auto blank = message.find(' ');
  const auto rest = blank == std::string_view::npos ? std::string_view() : message.substr(blank + 1);
  if (message.starts_with("fail ")) {
    engine.failure = rest;
  } else if (message.starts_with("phase ")) {
    const int phase = static_cast<int>(core::parse_uint(rest).value_or(0));
    traps_.enter(phase);  // a crash of the parent in the middle of its engine's start
    if (phase == kCapture && config_.dialect->listens == Listens::kWhenWarm && state_ == State::kLoading) listen();
  } else if (message.starts_with("ready ") && engine.state == EngineHandle::State::kLoading) {
    engine.kv_bytes = core::parse_uint(rest).value_or(0);
    engine.state = EngineHandle::State::kReady;
    if (state_ == State::kLoading) {
      state_ = State::kListening;
      deadline_ = after(config_.slow_ns[kServe]);
      return;
    }
    // Ollama: the model that somebody waits for is there.
    engine.channel.send("serve");
    note("loaded_model", [&](core::JsonLine& json) { json.add("model", key); });
    jobs_.start_waiting(key, [&](const std::string& id, Job& job) {
      engine.channel.send("gen " + id + " " + std::to_string(job.tokens));
    });
  }
}

void Server::reap() {
  for (auto it = engines_.begin(); it != engines_.end();) {
    int status = 0;
    if (waitpid(it->second->pid, &status, WNOHANG) != it->second->pid) {
      ++it;
      continue;
    }
    const std::string key = it->first;
    auto engine = std::move(it->second);
    while (auto message = engine->channel.receive()) take_engine_message(key, *engine, *message);
    it = engines_.erase(it);
    on_engine_exit(key, std::move(engine), status);
    if (state_ == State::kDone) return;
  }
}

void Server::on_engine_exit(const std::string& key, std::unique_ptr<EngineHandle> engine, int status) {
  const int how = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  // The line's lock also sweeps, so that a dead engine's memory is back (after the lag) without anybody asking.
  note("engine_exit",
       [&](core::JsonLine& json) { json.add("engine_pid", static_cast<int>(engine->pid)).add("how", how); });
  if (state_ == State::kStopping || engine->state == EngineHandle::State::kStopping) return;
  if (config_.dialect->listens == Listens::kLoadsLater) {
    const std::string why = engine->failure.empty() ? "llama runner process has terminated" : engine->failure;
    return jobs_.fail_all(&key, why, false);
  }
  const bool loading = state_ == State::kLoading || state_ == State::kListening;
  if (loading) log_wrap(config_, how);
  if (is_one_process(*config_.dialect)) {
    if (how < 0) die_by_signal(-how);
    return finish(how == 0 ? 1 : how);
  }
  if (loading) return finish(1);
  say_error(
      "ERROR: EngineCore encountered a fatal error. EngineDeadError: EngineCore encountered an issue. See stack "
      "trace (above) for the root cause.");
  jobs_.fail_all(nullptr, "EngineDeadError: EngineCore encountered an issue.", true);
  if (config_.dialect->name == "sglang" && !config_.dead_exit) {
    http_.flush(200);
    die_by_signal(SIGKILL);  // its SIGQUIT handler kills the whole tree, itself included
  }
  exit_code_ = config_.dead_exit.value_or(0);
  state_ = State::kDead;
  deadline_ = config_.keep_alive_on_death ? kNever : after(config_.watchdog_ns);
}

void Server::on_signal() {
  for (int signal = 0; (signal = next_signal(signal_fd_)) != 0;) {
    if (signal == SIGCHLD || state_ == State::kDraining || state_ == State::kStopping || state_ == State::kDone)
      continue;
    note("term", [&](core::JsonLine& json) { json.add("signal", signal); });
    if (state_ == State::kServing && config_.shutdown_timeout_s > 0) {
      state_ = State::kDraining;
      deadline_ = after(static_cast<std::int64_t>(config_.shutdown_timeout_s * 1e9));
      http_.close_after_answers();
    } else if (state_ == State::kServing) {
      stop(config_.exit_code.value_or(0));
    } else if (state_ == State::kDead) {
      stop(exit_code_);
    } else {
      // Python's KeyboardInterrupt ends vLLM with 130; the others have no handler yet and die by the signal [guess].
      stop(config_.dialect->name == "vllm" ? 128 + SIGINT : 128 + signal);
    }
  }
}

void Server::stop(int code) {
  exit_code_ = code;
  state_ = State::kStopping;
  deadline_ = kNever;
  http_.close_after_answers();
  jobs_.fail_all(nullptr, "the server is shutting down", true);
  http_.close_listener();
  http_.flush(200);
  if (config_.unclean_exit) {
    // The orphans stay, with their memory.
    engines_.clear();
    return finish(code);
  }
  for (auto& [key, engine] : engines_) engine->stop(false);
  kill_at_ns_ = mono_now_ns() + config_.grace_ns;
  if (engines_.empty()) finish(code);
}

void Server::finish(int code) {
  note("exit", [&](core::JsonLine& json) { json.add("code", code); });
  exit_code_ = code;
  state_ = State::kDone;
}

void Server::note(std::string_view phase, const std::function<void(core::JsonLine&)>& extra) const {
  const JournalIdentity who{config_.service, "parent"};
  auto ledger = Ledger::open(config_.gpu_dir, config_.devices.front(), config_.fresh_ledger);
  if (!ledger) {
    say_error("fakevllm: " + ledger.error().message());
    return;
  }
  auto locked = ledger->lock();
  if (!locked) {
    say_error("fakevllm: " + locked.error().message());
    return;
  }
  auto line = journal_line(who, phase);
  const auto& image = locked->image;
  line.json.add("free", image.free_bytes(config_.count_cache.value_or(image.header.count_cache != 0))).add("self", 0);
  if (extra) extra(line.json);
  locked->note(std::move(line));
  (void)locked->commit(false);
}

}  // namespace antifreeze::fakevllm
