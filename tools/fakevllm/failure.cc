#include "fakevllm/failure.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>

#include "fakevllm/process.h"

namespace antifreeze::fakevllm {
namespace {

std::string number(double value, int decimals) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  return buffer.data();
}

/// "0.4" as Python prints a float.
std::string share_text(double share) {
  std::string text = number(share, 4);
  while (text.ends_with('0') && !text.ends_with(".0")) text.pop_back();
  return text;
}

bool is_vllm(const Config& config) { return config.dialect->memory == MemoryModel::kFractionOfTotal; }

}  // namespace

std::string gib(std::uint64_t bytes) { return number(static_cast<double>(bytes) / (1024.0 * 1024 * 1024), 2); }

Failure not_enough_free(const Config& config, int gpu, const MemoryInfo& s0, std::uint64_t requested) {
  const std::string device = config.old ? "device" : "device cuda:" + std::to_string(gpu);
  return {'A', "ValueError: Free memory on " + device + " (" + gib(s0.free) + "/" + gib(s0.total) +
                   " GiB) on startup is less than desired GPU memory utilization (" + share_text(config.util) + ", " +
                   gib(requested) +
                   " GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes."};
}

Failure profiling_error(const Config& config, std::uint64_t s0, std::uint64_t s1) {
  if (config.old) {
    return {'B', "AssertionError: Error in memory profiling. Initial free memory " + std::to_string(s0) +
                     ", current free memory " + std::to_string(s1) +
                     ". This happens when the GPU memory was not properly cleaned up before initializing the vLLM "
                     "instance."};
  }
  return {'B', "AssertionError: Error in memory profiling. Initial free memory " + gib(s0) +
                   " GiB, current free memory " + gib(s1) +
                   " GiB. This happens when other processes sharing the same container release GPU memory while vLLM "
                   "is profiling during initialization. To fix this, ensure consistent GPU memory allocation or "
                   "isolate vLLM in its own container."};
}

Failure no_cache_memory(const Config& config, std::int64_t kv) {
  if (config.dialect->memory == MemoryModel::kFractionBefore) {
    return {'S', "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static."};
  }
  if (config.dialect->memory == MemoryModel::kFit) {
    return {'L', "llama_params_fit: failed to fit params to free device memory: n_ctx cannot be reduced below " +
                     std::to_string(config.fit_context)};
  }
  log_line("EngineCore_DP0", "INFO", "gpu_worker.py:298",
           "Available KV cache memory: " + number(static_cast<double>(kv) / (1024.0 * 1024 * 1024), 2) + " GiB");
  return {'C',
          "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when "
          "initializing the engine."};
}

Failure cache_too_small(const Config& config, std::uint64_t kv, std::uint64_t need) {
  return {'D', "ValueError: To serve at least one request with the models's max seq len (" +
                   std::to_string(config.max_len) + "), (" + gib(need) +
                   " GiB KV cache is needed, which is larger than the available KV cache memory (" + gib(kv) +
                   " GiB). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing "
                   "the engine."};
}

Failure out_of_memory(const Config& config, int gpu, const MemoryInfo& now, std::uint64_t asked) {
  if (config.dialect->memory == MemoryModel::kFit) {
    return {'L', "ggml_backend_cuda_buffer_type_alloc_buffer: allocating " +
                     number(static_cast<double>(asked) / 1048576, 2) + " MiB on device " + std::to_string(gpu) +
                     ": cudaMalloc failed: out of memory"};
  }
  return {'E', "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate " + gib(asked) + " GiB. GPU " +
                   std::to_string(gpu) + " has a total capacity of " + gib(now.total) + " GiB of which " +
                   gib(now.free) + " GiB is free. Including non-PyTorch memory, this process has " + gib(now.self) +
                   " GiB memory in use."};
}

void log_line(std::string_view process, std::string_view level, std::string_view where, std::string_view text) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 48> stamp{};
  std::snprintf(stamp.data(), stamp.size(), "%02d-%02d %02d:%02d:%02d", parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                parts.tm_min, parts.tm_sec);
  say("(" + std::string(process) + " pid=" + std::to_string(getpid()) + ") " + std::string(level) + " " + stamp.data() +
      " [" + std::string(where) + "] " + std::string(text));
}

void log_failure(const Config& config, std::string_view process, const Failure& failure) {
  const bool vllm = is_vllm(config);
  const std::string where = vllm ? "core.py:843" : "fakevllm:1";
  if (vllm && config.workers > 1)
    log_line(process, "ERROR", "multiproc_executor.py:772", "WorkerProc failed to start.");
  if (vllm && config.workers <= 1) log_line(process, "ERROR", where, "EngineCore failed to start.");
  log_line(process, "ERROR", where, "Traceback (most recent call last):");
  log_line(process, "ERROR", where, failure.error);
}

void log_wrap(const Config& config, int how) {
  if (!is_vllm(config)) {
    say_error(std::string(config.dialect->name) + ": the engine process ended with " + std::to_string(how));
    return;
  }
  say_error("Traceback (most recent call last):");
  say_error(
      "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): "
      "{'EngineCore_DP0': " +
      std::to_string(how) + "}");
}

}  // namespace antifreeze::fakevllm
