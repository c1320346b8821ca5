#include "fakevllm/config.h"

#include <cmath>
#include <cstdlib>

#include "core/text.h"
#include "core/time.h"
#include "core/units.h"
#include "fakevllm/config_parts.h"
#include "fakevllm/ledger.h"

namespace antifreeze::fakevllm {
namespace {

using core::Error;
using core::ErrorCode;
using core::Status;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Reads options into a Config and keeps the first error, so that the callers below read as tables.
class Reader {
 public:
  Reader(const CommandLine& line, Config& config) : line_(line), config_(config) {}

  [[nodiscard]] std::string text(std::string_view knob) const {
    return std::string(line_.knob(knob).value_or(knob_default(knob)));
  }
  bool on(std::string_view knob) {
    const auto value = line_.knob(knob);
    return value && *value != "0" && *value != "false" && *value != "no" && !value->empty();
  }
  std::uint64_t size(std::string_view knob) { return take(size_option(knob, text(knob)), std::uint64_t{0}); }
  std::int64_t millis(std::string_view knob) { return take(millis_option(knob, text(knob)), std::int64_t{0}); }
  double number(std::string_view knob) { return number_of(knob, text(knob)); }
  double number_of(std::string_view name, std::string_view value) {
    const auto number = core::parse_decimal(value);
    if (!number) fail(name, value, "is not a number");
    return number.value_or(1);
  }
  void fail(std::string_view name, std::string_view value, std::string_view why) {
    keep(Error(ErrorCode::kInvalid, "--" + std::string(name) + ": '" + std::string(value) + "' " + std::string(why)));
  }
  template <typename T>
  T take(core::Result<T> result, T fallback) {
    if (result) return std::move(*result);
    keep(std::move(result).error());
    return fallback;
  }
  void keep(Error error) {
    if (status_) status_ = std::move(error);
  }
  void keep_status(Status status) {
    if (!status) keep(std::move(status).error());
  }
  Status status() { return std::move(status_); }

  void engine_flags();
  void device();
  void simulation();
  void failures();

 private:
  void address();

  const CommandLine& line_;
  Config& config_;
  Status status_;
};

void Reader::address() {
  const auto& dialect = *config_.dialect;
  config_.host = line_.flag("host").value_or(dialect.host);
  if (config_.host == "localhost") config_.host = "127.0.0.1";
  std::string port(line_.flag("port").value_or(""));
  if (const auto both = line_.flag("ollama-host")) {
    auto address = *both;
    if (const auto scheme = address.find("://"); scheme != std::string_view::npos) address.remove_prefix(scheme + 3);
    const auto colon = address.rfind(':');
    if (colon != std::string_view::npos) port = address.substr(colon + 1);
    if (!address.substr(0, colon).empty()) config_.host = address.substr(0, colon);
  }
  config_.port = dialect.port;
  if (!port.empty()) {
    const auto number = core::parse_uint(port);
    if (!number || *number > 65'535) fail("port", port, "is not a port");
    config_.port = static_cast<int>(number.value_or(0));
  }
  config_.uds = line_.flag("uds").value_or("");
}

void Reader::engine_flags() {
  const auto& dialect = *config_.dialect;
  address();
  config_.util = number_of("gpu-memory-utilization", line_.flag("util").value_or(std::to_string(dialect.share)));
  if (dialect.share > 0 && (config_.util <= 0 || config_.util > 1)) {
    fail("gpu-memory-utilization", *line_.flag("util"), "is not above 0 and at most 1");
  }
  if (const auto bytes = line_.flag("kv-bytes")) config_.kv_bytes = take(kv_bytes_option(*bytes), std::uint64_t{0});
  if (const auto length = line_.flag("max-len")) {
    const bool thousands = length->ends_with("k") || length->ends_with("K");
    config_.max_len = core::parse_uint(length->substr(0, length->size() - (thousands ? 1 : 0))).value_or(0);
    if (thousands) config_.max_len *= 1024;
    if (config_.max_len == 0) config_.max_len = 4096;  // llama.cpp's "0: the model's own"
  }
  const auto degree = [&](std::string_view name) {
    return static_cast<int>(core::parse_uint(line_.flag(name).value_or("1")).value_or(1));
  };
  config_.workers = degree("tp") * degree("pp");
  config_.shutdown_timeout_s = number_of("shutdown-timeout", line_.flag("shutdown").value_or("0"));
  config_.api_key = line_.flag("api-key").value_or(environment("VLLM_API_KEY"));
  config_.sleep_mode = line_.flag("sleep-mode").value_or("0") == "1";
  config_.dev_mode = environment("VLLM_SERVER_DEV_MODE") == "1";
  config_.keep_alive_on_death = !environment("VLLM_KEEP_ALIVE_ON_ENGINE_DEATH").empty();
  if (const auto s = environment("VLLM_ENGINE_READY_TIMEOUT_S"); !s.empty()) {
    config_.ready_timeout_s = number_of("VLLM_ENGINE_READY_TIMEOUT_S", s);
  }
  if (const auto s = environment("VLLM_HTTP_TIMEOUT_KEEP_ALIVE"); !s.empty()) {
    config_.http_keep_alive_s = number_of("VLLM_HTTP_TIMEOUT_KEEP_ALIVE", s);
  }
  config_.fit = line_.flag("fit").value_or("on") != "off";
  // llama.cpp keeps 1024 MiB of each device free.
  config_.fit_target =
      static_cast<std::uint64_t>(number_of("fit-target", line_.flag("fit-target").value_or("1024"))) * core::kMiB;
  config_.fit_context = core::parse_uint(line_.flag("fit-ctx").value_or("4096")).value_or(4096);
  config_.keep_alive = line_.flag("keep-alive").value_or("5m");
  config_.max_loaded = static_cast<int>(core::parse_uint(line_.flag("max-loaded").value_or("3")).value_or(3));
  if (config_.max_loaded == 0) config_.max_loaded = 3;
  config_.model = line_.flag("model").value_or("");
  for (const auto& operand : line_.operands) {
    if (config_.model.empty() && operand != "serve" && operand != "api_server" && operand != "v2") {
      config_.model = operand;
    }
  }
  if (config_.model.empty()) config_.model = "fake/model";
  config_.served = line_.flag("served").value_or(config_.model);
}

void Reader::device() {
  config_.gpu_dir = text("fake-gpu-dir");
  auto& fresh = config_.fresh_ledger;
  fresh.total = size("fake-gpu-total");
  fresh.unified = text("fake-gpu-unified") == "0" ? 0 : 1;
  fresh.host_floor = size("fake-host-floor");
  fresh.page_cache = size("fake-page-cache");
  fresh.release_lag_ns = millis("fake-release-lag");
  config_.wedge_on_floor = on("fake-wedge-on-floor");
  fresh.wedge_on_floor = config_.wedge_on_floor ? 1 : 0;
  if (const auto semantics = text("fake-free-semantics"); !semantics.empty()) {
    if (semantics != "free" && semantics != "available")
      fail("fake-free-semantics", semantics, "is neither available nor free");
    config_.count_cache = semantics == "free";
    fresh.count_cache = semantics == "free" ? 1 : 0;
  }
  const bool ollama = config_.dialect->listens == Listens::kLoadsLater;
  config_.service = text("fake-svc");
  if (config_.service.empty()) config_.service = ollama ? std::string("ollama") : config_.served;
  config_.state_dir = text("fake-state-dir");
  if (config_.state_dir.empty()) config_.state_dir = config_.gpu_dir;
  std::string visible = text("fake-gpu");
  if (visible.empty()) visible = environment("CUDA_VISIBLE_DEVICES");
  if (!visible.empty()) {
    for (const auto word : core::split(visible, ',')) {
      const auto number = core::parse_uint(core::trim(word));
      const int index = number ? static_cast<int>(*number) : find_device(config_.gpu_dir, core::trim(word));
      if (index < 0 || index > 63) fail("fake-gpu", word, "names no device");
      config_.devices.push_back(index);
    }
  }
  for (int i = static_cast<int>(config_.devices.size()); visible.empty() && i < config_.workers; ++i) {
    config_.devices.push_back(i);
  }
  if (static_cast<int>(config_.devices.size()) < config_.workers) {
    fail("tensor-parallel-size", std::to_string(config_.workers), "is more than the devices that are visible");
  }
}

void Reader::simulation() {
  const double speed = number("fake-speed");
  if (speed <= 0) fail("fake-speed", text("fake-speed"), "is not above 0");
  config_.clock = Clock(text("fake-clock"), speed > 0 ? speed : 1);
  config_.phase_ns[kImport] = millis("fake-import-ms");
  config_.phase_ns[kLoad] = millis("fake-load-ms");
  config_.phase_ns[kProfile] = millis("fake-profile-ms");
  config_.phase_ns[kCapture] = millis("fake-graph-ms");
  config_.load_steps = static_cast<int>(number("fake-load-steps"));
  if (config_.load_steps < 1) config_.load_steps = 1;
  config_.token_ns = millis("fake-token-ms");
  config_.watchdog_ns = millis("fake-watchdog-ms");
  config_.grace_ns = millis("fake-child-grace-ms");
  config_.tick_ns = millis("fake-tick-ms");
  auto& sizes = config_.sizes;
  sizes.ctx = size("fake-ctx");
  sizes.weights = size("fake-weights");
  sizes.peak = size("fake-peak");
  sizes.nt = size("fake-nt");
  sizes.graph = size("fake-graph");
  sizes.graph_est = line_.knob("fake-graph-est") ? size("fake-graph-est") : sizes.graph;
  sizes.kv_per_token = size("fake-kv-per-token");
  sizes.real_memory = size("fake-real-memory");
  sizes.leak = size("fake-leak");
  sizes.cache_factor = number("fake-cache-factor");
  sizes.sleep_keep = number("fake-sleep-keep");
  if (const auto pattern = text("fake-settle"); !pattern.empty()) {
    config_.settle = take(parse_settle(pattern), std::vector<SettleStep>{});
  }
  if (const auto slow = text("fake-slow"); !slow.empty()) keep_status(parse_slow(slow, config_.slow_ns));
  if (const auto wait = text("fake-wait"); !wait.empty()) keep_status(parse_wait(wait, config_.wait_file));
}

void Reader::failures() {
  if (const auto crash = text("fake-crash"); !crash.empty()) {
    config_.crashes = take(parse_traps("fake-crash", crash), std::vector<Trap>{});
  }
  if (const auto hang = text("fake-hang"); !hang.empty()) {
    config_.hangs = take(parse_traps("fake-hang", hang), std::vector<Trap>{});
  }
  const auto code = [&](std::string_view knob) -> std::optional<int> {
    if (!line_.knob(knob)) return std::nullopt;
    return static_cast<int>(number(knob));
  };
  config_.dead_exit = code("fake-dead-exit");
  config_.exit_code = code("fake-exit-code");
  if (line_.knob("fake-health-flap")) config_.flap_ns = millis("fake-health-flap");
  config_.old = on("fake-old");
  config_.health_lie = on("fake-health-lie");
  config_.stuck = on("fake-stuck-engine");
  config_.ignore_term = on("fake-ignore-term");
  config_.unclean_exit = on("fake-unclean-exit");
  config_.pdeathsig = config_.dialect->child_pdeathsig || on("fake-pdeathsig");
  config_.keep_environ = on("fake-keep-environ") || config_.dialect->name != "vllm";
  config_.reuse_port = config_.dialect->reuse_port && !on("fake-no-reuseport");
  config_.inherit_port = on("fake-inherit-port");
  config_.journal_requests = on("fake-journal-requests");
  config_.zombies = static_cast<int>(number("fake-zombies"));
  if (const auto child = text("fake-setsid-child"); !child.empty()) {
    config_.setsid_child = take(setsid_child_option(child), SetsidChild{});
  }
}

}  // namespace

core::Result<Config> make_config(const Dialect& dialect, const CommandLine& line) {
  Config config;
  config.dialect = &dialect;
  Reader reader(line, config);
  reader.engine_flags();
  reader.device();
  reader.simulation();
  reader.failures();
  if (auto status = reader.status(); !status) return std::move(status).error();
  return config;
}

}  // namespace antifreeze::fakevllm
