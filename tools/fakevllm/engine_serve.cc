#include "fakevllm/engine_serve.h"

#include <algorithm>

#include "core/text.h"
#include "fakevllm/failure.h"

namespace antifreeze::fakevllm {

void EngineServe::run() {
  next_tick_ = mono_now_ns();
  const auto& clock = engine_.config().clock;
  for (;;) {
    while (auto message = engine_.up().receive()) take(*message);
    const std::int64_t now = clock.now_ns();
    settle(now);
    advance_jobs(now);
    // A driver notices dead processes by itself; here the living do it for the dead.
    if (engine_.config().tick_ns > 0 && mono_now_ns() >= next_tick_) {
      engine_.device().tick();
      next_tick_ = mono_now_ns() + engine_.config().tick_ns;
    }
    engine_.wait_readable(engine_.up().fd(), next_deadline());
  }
}

std::int64_t EngineServe::next_deadline() const {
  std::int64_t deadline = kNever;
  if (!engine_.config().stuck) {
    for (const auto& [id, job] : jobs_) deadline = std::min(deadline, job.next_ns);
  }
  const auto& steps = engine_.config().settle;
  if (serving_since_ != kNever && settle_step_ < steps.size()) {
    deadline = std::min(deadline, serving_since_ + engine_.config().clock.scaled(steps[settle_step_].at_ns));
  }
  if (engine_.config().tick_ns > 0) {
    // The tick counts real time, the deadline possibly virtual time.
    deadline =
        std::min(deadline, engine_.config().clock.now_ns() + std::max<std::int64_t>(0, next_tick_ - mono_now_ns()));
  }
  return deadline;
}

void EngineServe::take(std::string_view message) {
  const auto words = core::split_words(message);
  if (words.empty()) return;
  if (words[0] == "serve") {
    begin_serving();
  } else if (words[0] == "gen" && words.size() > 2) {
    generate(std::string(words[1]), core::parse_uint(words[2]).value_or(1));
  } else if (words[0] == "abort" && words.size() > 1) {
    jobs_.erase(std::string(words[1]));
  } else if (words[0] == "sleep") {
    sleep();
  } else if (words[0] == "wake") {
    wake();
  }
}

void EngineServe::begin_serving() {
  serving_since_ = engine_.config().clock.now_ns();
  engine_.traps().enter(kServe);
  if (engine_.traps().hangs()) {
    engine_.must(engine_.device().note("hang"));
    engine_.pause(kNever);
  }
}

void EngineServe::settle(std::int64_t now) {
  if (settled_ || serving_since_ == kNever) return;
  const auto& steps = engine_.config().settle;
  auto& device = engine_.device();
  for (; settle_step_ < steps.size(); ++settle_step_) {
    const auto& step = steps[settle_step_];
    if (now < serving_since_ + engine_.config().clock.scaled(step.at_ns)) return;
    if (step.bytes < 0) {
      engine_.must(device.release(Pool::kTorch, static_cast<std::uint64_t>(-step.bytes), "settle"));
    } else if (!engine_.must(device.allocate(Pool::kTorch, static_cast<std::uint64_t>(step.bytes), "settle"))) {
      const auto failure = out_of_memory(engine_.config(), device.ledger().index(), device.last(),
                                         static_cast<std::uint64_t>(step.bytes));
      log_line(engine_.log_name(), "ERROR", "core.py:710", "EngineCore encountered a fatal error.");
      log_line(engine_.log_name(), "ERROR", "core.py:710", failure.error);
      engine_.leave(1);
    }
  }
  engine_.must(device.note("settled"));
  settled_ = true;
}

void EngineServe::generate(const std::string& id, std::uint64_t tokens) {
  const auto& config = engine_.config();
  if (asleep_) {
    engine_.tell("err " + id + " the engine is asleep");
    return;
  }
  if (config.sizes.leak > 0 && !engine_.must(engine_.device().allocate(Pool::kTorch, config.sizes.leak, "leak"))) {
    engine_.tell(
        "err " + id + " " +
        out_of_memory(config, engine_.device().ledger().index(), engine_.device().last(), config.sizes.leak).error);
    return;
  }
  jobs_[id] = {std::max<std::uint64_t>(tokens, 1), config.clock.now_ns() + config.clock.scaled(config.token_ns)};
}

void EngineServe::advance_jobs(std::int64_t now) {
  if (engine_.config().stuck) return;
  const std::int64_t step = engine_.config().clock.scaled(engine_.config().token_ns);
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    auto& job = it->second;
    while (job.left > 0 && job.next_ns <= now) {
      engine_.tell("tok " + it->first);
      job.next_ns += std::max<std::int64_t>(step, 1);
      --job.left;
    }
    if (job.left > 0) {
      ++it;
      continue;
    }
    engine_.tell("done " + it->first);
    it = jobs_.erase(it);
  }
}

void EngineServe::sleep() {
  if (!asleep_) {
    jobs_.clear();
    const auto torch = engine_.must(engine_.device().look()).torch;
    asleep_bytes_ = torch - static_cast<std::uint64_t>(static_cast<double>(torch) * engine_.config().sizes.sleep_keep);
    engine_.must(engine_.device().release(Pool::kTorch, asleep_bytes_, "sleep"));
    asleep_ = true;
  }
  engine_.tell("slept");
}

void EngineServe::wake() {
  if (asleep_) {
    auto& device = engine_.device();
    if (!engine_.must(device.allocate(Pool::kTorch, asleep_bytes_, "wake"))) {
      const auto failure = out_of_memory(engine_.config(), device.ledger().index(), device.last(), asleep_bytes_);
      log_line(engine_.log_name(), "ERROR", "core.py:710", failure.error);
      engine_.tell("wakefail " + failure.error);
      return;
    }
    asleep_ = false;
  }
  engine_.tell("awake");
}

}  // namespace antifreeze::fakevllm
