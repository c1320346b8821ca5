#include "fakevllm/phases.h"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace antifreeze::fakevllm {
namespace {

using Fail = std::optional<Failure>;

class Start {
 public:
  explicit Start(EngineProcess& engine)
      : engine_(engine), config_(engine.config()), device_(engine.device()), sizes_(config_.sizes) {}

  Fail run() {
    if (auto fail = init_device()) return fail;
    if (auto fail = load()) return fail;
    if (auto fail = profile()) return fail;
    if (auto fail = size()) return fail;
    if (auto fail = allocate_cache()) return fail;
    return capture();
  }

 private:
  Fail init_device();
  Fail load();
  Fail profile();
  Fail size();
  Fail size_by_total();
  Fail size_by_fit();
  Fail allocate_cache();
  Fail capture();

  Fail allocate(Pool pool, std::uint64_t bytes, std::string_view line) {
    if (bytes == 0 || engine_.must(device_.allocate(pool, bytes, line))) return std::nullopt;
    return out_of_memory(config_, device_.ledger().index(), device_.last(), bytes);
  }
  void pause(int phase) { engine_.pause(config_.clock.scaled(config_.phase_ns[static_cast<std::size_t>(phase)])); }
  void say_info(std::string_view where, std::string_view text) { log_line(engine_.log_name(), "INFO", where, text); }
  [[nodiscard]] bool is(MemoryModel model) const { return config_.dialect->memory == model; }
  [[nodiscard]] bool profiles() const {
    return is(MemoryModel::kFractionOfTotal) || is(MemoryModel::kFractionAfter) || is(MemoryModel::kWeightsOnly);
  }

  EngineProcess& engine_;
  const Config& config_;
  Device& device_;
  const Sizes& sizes_;
  MemoryInfo s0_;
  MemoryInfo s1_;
  std::uint64_t requested_ = 0;
  std::uint64_t kv_ = 0;
};

Fail Start::init_device() {
  engine_.enter(kInitDevice);
  if (auto fail = allocate(Pool::kNonTorch, sizes_.ctx, "s0")) return fail;
  s0_ = sizes_.ctx > 0 ? device_.last() : engine_.must(device_.look());
  if (!is(MemoryModel::kFractionOfTotal)) return std::nullopt;
  requested_ = static_cast<std::uint64_t>(std::ceil(static_cast<double>(s0_.total) * config_.util));
  if (s0_.free < requested_) return not_enough_free(config_, device_.ledger().index(), s0_, requested_);
  return std::nullopt;
}

/// Really touches memory, for tests that measure what the kernel sees.
void touch_real_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) std::memset(memory, 1, bytes);
}

Fail Start::load() {
  engine_.enter(kLoad);
  say_info("gpu_model_runner.py:2602", "Starting to load model " + config_.model + "...");
  const auto steps = static_cast<std::uint64_t>(config_.load_steps);
  const std::int64_t whole = config_.clock.scaled(config_.phase_ns[kLoad]);
  touch_real_memory(sizes_.real_memory);
  for (std::uint64_t step = 1; step <= steps; ++step) {
    engine_.pause(whole / config_.load_steps);
    // Cut so that the parts add up to the whole.
    const std::uint64_t part = sizes_.weights * step / steps - sizes_.weights * (step - 1) / steps;
    const auto files = static_cast<std::uint64_t>(static_cast<double>(part) * sizes_.cache_factor);
    engine_.must(device_.read_files(files));
    if (auto fail = allocate(Pool::kTorch, part, "loaded")) return fail;
  }
  say_info("default_loader.py:268", "Loading weights took " + std::to_string(whole / kSecond) + " seconds");
  say_info("gpu_model_runner.py:2653",
           "Model loading took " + gib(sizes_.weights) + " GiB and " + std::to_string(whole / kSecond) + " seconds");
  return std::nullopt;
}

Fail Start::profile() {
  engine_.enter(kProfile);
  if (!profiles()) {
    s1_ = engine_.must(device_.look());
    return std::nullopt;
  }
  if (auto fail = allocate(Pool::kTorch, sizes_.peak, "")) return fail;
  if (auto fail = allocate(Pool::kNonTorch, sizes_.nt, "profiling")) return fail;
  pause(kProfile);
  // S1 is taken where the peak is given back: nothing can come in between.
  engine_.must(device_.release(Pool::kTorch, sizes_.peak, "s1"));
  s1_ = device_.last();
  if (!is(MemoryModel::kFractionOfTotal) || config_.kv_bytes) return std::nullopt;
  const bool holds = config_.old ? s0_.free > s1_.free : s0_.free >= s1_.free;
  if (!holds) return profiling_error(config_, s0_.free, s1_.free);
  return std::nullopt;
}

Fail Start::size_by_total() {
  // inc: what everything but this process's torch memory grew by, on the whole device, whoever allocated it.
  const auto other = [](const MemoryInfo& s) {
    return static_cast<std::int64_t>(s.total - s.free) - static_cast<std::int64_t>(s.torch);
  };
  const std::int64_t inc = other(s1_) - other(s0_);
  const auto kv = static_cast<std::int64_t>(requested_) - static_cast<std::int64_t>(sizes_.weights) -
                  static_cast<std::int64_t>(sizes_.peak) - inc - static_cast<std::int64_t>(sizes_.graph_est);
  engine_.must(device_.note("size", [&](core::JsonLine& json) {
    json.add("s0", s0_.free).add("s1", s1_.free).add("requested", requested_).add("inc", inc).add("kv", kv);
  }));
  if (kv <= 0) return no_cache_memory(config_, kv);
  kv_ = static_cast<std::uint64_t>(kv);
  say_info("gpu_worker.py:298", "Available KV cache memory: " + gib(kv_) + " GiB");
  const std::uint64_t need = config_.max_len * sizes_.kv_per_token;
  if (kv_ < need) return cache_too_small(config_, kv_, need);
  return std::nullopt;
}

Fail Start::size_by_fit() {
  kv_ = config_.max_len * sizes_.kv_per_token;
  const std::uint64_t room = s1_.free > config_.fit_target ? s1_.free - config_.fit_target : 0;
  if (kv_ > room && config_.fit) {
    const std::uint64_t context = sizes_.kv_per_token > 0 ? room / sizes_.kv_per_token : 0;
    if (context < config_.fit_context) return no_cache_memory(config_, 0);
    kv_ = context * sizes_.kv_per_token;
  }
  return std::nullopt;
}

Fail Start::size() {
  Fail fail;
  if (config_.kv_bytes) {
    kv_ = *config_.kv_bytes;
  } else if (is(MemoryModel::kFractionOfTotal)) {
    return size_by_total();
  } else if (is(MemoryModel::kFit)) {
    fail = size_by_fit();
  } else if (is(MemoryModel::kFractionBefore)) {
    // kv = free after the load − (1 − share) × free before it.
    const auto kept = static_cast<std::int64_t>(static_cast<double>(s0_.free) * (1 - config_.util));
    const std::int64_t kv = static_cast<std::int64_t>(s1_.free) - kept;
    if (kv <= 0) fail = no_cache_memory(config_, kv);
    kv_ = static_cast<std::uint64_t>(std::max<std::int64_t>(kv, 0));
  } else if (is(MemoryModel::kFractionAfter)) {
    kv_ = static_cast<std::uint64_t>(static_cast<double>(s1_.free) * config_.util);
  }
  engine_.must(
      device_.note("size", [&](core::JsonLine& json) { json.add("s0", s0_.free).add("s1", s1_.free).add("kv", kv_); }));
  return fail;
}

Fail Start::allocate_cache() {
  engine_.enter(kKv);
  if (auto fail = allocate(Pool::kTorch, kv_, "cache")) return fail;
  const std::uint64_t tokens = sizes_.kv_per_token > 0 ? kv_ / sizes_.kv_per_token : 0;
  say_info("kv_cache_utils.py:1087", "GPU KV cache size: " + std::to_string(tokens) + " tokens");
  say_info("kv_cache_utils.py:1091", "Maximum concurrency for " + std::to_string(config_.max_len) +
                                         " tokens per request: " + std::to_string(tokens / config_.max_len) + ".00x");
  return std::nullopt;
}

Fail Start::capture() {
  engine_.enter(kCapture);
  if (auto fail = allocate(Pool::kTorch, sizes_.graph, "captured")) return fail;
  pause(kCapture);
  say_info("gpu_model_runner.py:3480", "Graph capturing finished in 0 secs, took " + gib(sizes_.graph) + " GiB");
  say_info("core.py:210", "init engine (profile, create kv cache, warmup model) took 0.00 seconds");
  engine_.tell("ready " + std::to_string(kv_));
  return std::nullopt;
}

}  // namespace

std::optional<Failure> start_engine(EngineProcess& engine) { return Start(engine).run(); }

}  // namespace antifreeze::fakevllm
