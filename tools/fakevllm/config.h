// Everything a server needs to know, typed, out of its command line and environment.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "fakevllm/clock.h"
#include "fakevllm/command_line.h"
#include "fakevllm/dialect.h"
#include "fakevllm/ledger_image.h"

namespace antifreeze::fakevllm {

/// engines.md §7.3. Numbers are what --fake-crash P and the like take; names work too.
enum Phase : int { kImport, kBind, kInitDevice, kLoad, kProfile, kKv, kCapture, kServe, kPhases };
std::string_view phase_name(int phase);
/// "4" or "profile"; -1 for neither.
int phase_number(std::string_view text);

/// --fake-crash and --fake-hang.
struct Trap {
  int phase = -1;
  bool by_signal = false;
  int code = 1;               ///< exit code or signal
  std::int64_t after_ns = 0;  ///< unscaled, after the phase began
  int times = -1;             ///< only the first N processes; -1 all
  bool in_parent = false;
};

/// One step of --fake-settle: `bytes` more (or less) at `at_ns` after ready, unscaled.
struct SettleStep {
  std::int64_t bytes = 0;
  std::int64_t at_ns = 0;
};

struct SetsidChild {
  bool wanted = false;
  bool ignore_term = false;
  std::uint64_t hold = 0;
  int port = 0;
  std::int64_t for_ns = 0;  ///< 0: for ever
};

struct Sizes {
  std::uint64_t ctx, weights, peak, nt, graph, graph_est, kv_per_token, real_memory, leak;
  double cache_factor, sleep_keep;
};

struct Config {
  const Dialect* dialect = nullptr;
  // The engine's own flags.
  std::string model;
  std::string served;
  std::string host;
  int port = 0;
  std::string uds;
  double util = 0;
  std::optional<std::uint64_t> kv_bytes;
  std::uint64_t max_len = 4096;
  int workers = 1;  ///< tensor × pipeline parallel
  double shutdown_timeout_s = 0;
  double ready_timeout_s = 600;
  std::string api_key;
  bool dev_mode = false;
  bool sleep_mode = false;
  bool keep_alive_on_death = false;
  double http_keep_alive_s = 5;
  std::uint64_t fit_target = 0;
  std::uint64_t fit_context = 4096;
  bool fit = true;
  std::string keep_alive;  ///< Ollama's
  int max_loaded = 1;
  // Device.
  std::string gpu_dir;
  std::vector<int> devices;
  LedgerHeader fresh_ledger;
  std::optional<bool> count_cache;
  bool wedge_on_floor = false;
  std::string service;
  std::string state_dir;
  // Simulation.
  Clock clock;
  std::array<std::int64_t, kPhases> phase_ns{};  ///< unscaled duration of each phase
  std::array<std::int64_t, kPhases> slow_ns{};
  std::array<std::string, kPhases> wait_file;
  int load_steps = 4;
  std::int64_t token_ns = 0;
  std::int64_t watchdog_ns = 0;
  std::int64_t grace_ns = 0;
  std::int64_t tick_ns = 0;
  Sizes sizes{};
  std::vector<SettleStep> settle;
  std::vector<Trap> crashes;
  std::vector<Trap> hangs;
  std::optional<int> dead_exit;
  std::int64_t flap_ns = 0;
  bool old = false, health_lie = false, stuck = false, ignore_term = false, unclean_exit = false;
  bool pdeathsig = false, keep_environ = false, reuse_port = false, inherit_port = false, journal_requests = false;
  std::optional<int> exit_code;
  SetsidChild setsid_child;
  int zombies = 0;
};

/// Builds the configuration. Errors name the option.
core::Result<Config> make_config(const Dialect& dialect, const CommandLine& line);

/// Reads "20GiB" (binary) with the option's name in the error.
core::Result<std::uint64_t> size_option(std::string_view name, std::string_view value);
/// "250" means milliseconds; "2s" and the like are read too.
core::Result<std::int64_t> millis_option(std::string_view name, std::string_view value);
/// vLLM's --kv-cache-memory-bytes: plain, k/m/g/t decimal, K/M/G/T binary.
core::Result<std::uint64_t> kv_bytes_option(std::string_view value);
/// "hold=1GiB,port=8001,for=2s,ignore-term".
core::Result<SetsidChild> setsid_child_option(std::string_view value);

}  // namespace antifreeze::fakevllm
