#include "fakevllm/ollama.h"

#include <algorithm>

#include "core/text.h"
#include "core/time.h"
#include "fakevllm/json_text.h"

namespace antifreeze::fakevllm {
namespace {

/// Go's durations and plain seconds; anything negative means for ever.
std::int64_t parse_keep_alive(std::string_view value) {
  if (value.starts_with("-")) return kNever;
  if (const auto seconds = core::parse_decimal(value)) return static_cast<std::int64_t>(*seconds * 1e9);
  std::int64_t sum = 0;
  // "1h30m" is a sum of parts.
  for (std::size_t at = 0; at < value.size();) {
    auto end = value.find_first_not_of("0123456789.", at);
    end = std::min(value.find_first_of("0123456789.", end), value.size());
    const auto part = core::parse_duration(value.substr(at, end - at));
    if (!part) return 300 * kSecond;
    sum += part->count();
    at = end;
  }
  return sum;
}

}  // namespace

void Ollama::set_keep_alive(const std::string& model, std::string_view value) {
  keep_alive_ns_[model] = parse_keep_alive(value);
}

std::int64_t Ollama::keep_alive(const std::string& model) const {
  const auto it = keep_alive_ns_.find(model);
  return it != keep_alive_ns_.end() ? it->second : parse_keep_alive(config_.keep_alive);
}

void Ollama::unload(const std::string& model) {
  const auto it = engines_.find(model);
  if (it != engines_.end()) it->second->stop(false);
}

void Ollama::want(const std::string& model) {
  const auto it = engines_.find(model);
  const bool there = it != engines_.end() && it->second->state != EngineHandle::State::kStopping;
  if (!there && std::ranges::find(wanted_, model) == wanted_.end()) wanted_.push_back(model);
}

std::vector<std::string> Ollama::step(std::int64_t now_ns) {
  for (auto& [model, engine] : engines_) {
    if (engine->state != EngineHandle::State::kReady) continue;
    if (jobs_.busy(model)) {
      engine->expires_ns = kNever;
      continue;
    }
    const std::int64_t keep = keep_alive(model);
    if (engine->expires_ns == kNever || engine->keep_alive_ns != keep) {
      engine->keep_alive_ns = keep;
      engine->expires_ns = keep == kNever ? kNever : now_ns + config_.clock.scaled(keep);
    }
    if (engine->expires_ns <= now_ns) engine->stop(false);
  }
  std::vector<std::string> start;
  while (!wanted_.empty()) {
    // A model that is still being unloaded has to be gone first.
    if (engines_.contains(wanted_.front())) break;
    if (engines_.size() + start.size() >= static_cast<std::size_t>(config_.max_loaded)) {
      EngineHandle* idle = nullptr;
      bool leaving = false;
      for (auto& [model, engine] : engines_) {
        leaving = leaving || engine->state == EngineHandle::State::kStopping;
        if (engine->state != EngineHandle::State::kReady || jobs_.busy(model)) continue;
        if (idle == nullptr || engine->expires_ns < idle->expires_ns) idle = engine.get();
      }
      if (!leaving && idle != nullptr) idle->stop(false);
      break;
    }
    start.push_back(wanted_.front());
    wanted_.erase(wanted_.begin());
  }
  return start;
}

std::int64_t Ollama::next_deadline() const {
  std::int64_t deadline = kNever;
  for (const auto& [model, engine] : engines_) {
    if (engine->state == EngineHandle::State::kReady) deadline = std::min(deadline, engine->expires_ns);
  }
  return deadline;
}

std::string Ollama::ps() const {
  std::string out = "{\"models\":[";
  bool first = true;
  for (const auto& [model, engine] : engines_) {
    if (engine->state != EngineHandle::State::kReady) continue;
    const auto size = std::to_string(engine->config.sizes.weights + engine->kv_bytes);
    out += std::string(first ? "" : ",") + "{\"name\":" + json_string(model) + ",\"model\":" + json_string(model) +
           ",\"size\":" + size + ",\"size_vram\":" + size + ",\"expires_at\":\"" +
           (engine->expires_ns == kNever ? "2318-01-01T00:00:00Z" : "2026-01-01T00:05:00Z") + "\"}";
    first = false;
  }
  return out + "]}";
}

}  // namespace antifreeze::fakevllm
