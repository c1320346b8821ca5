#include "run/config.h"

#include <algorithm>
#include <array>

#include "core/crc32c.h"
#include "core/text.h"
#include "core/time.h"
#include "core/units.h"
#include "gate/queue_decide.h"
#include "gate/ticket.h"

namespace antifreeze::run {
namespace {

using core::Error;
using core::ErrorCode;

/// Longer ones would be cut somewhere, and two services would become one.
constexpr std::size_t kLongestName = 64;

/// Reads options one by one and keeps the first error, so that the table below stays one line an option.
class Reader {
 public:
  explicit Reader(const core::ParsedOptions& parsed) : parsed_(parsed) {}

  void duration(std::string_view name, core::Nanos& into) {
    if (const auto text = parsed_.get(name)) {
      const auto value = core::parse_duration(*text);
      if (value)
        into = *value;
      else
        fail(name, value.error().message());
    }
  }
  void duration(std::string_view name, std::optional<core::Nanos>& into) {
    core::Nanos value{0};
    if (!parsed_.has(name)) return;
    duration(name, value);
    into = value;
  }
  void bytes(std::string_view name, std::uint64_t& into) {
    if (const auto text = parsed_.get(name)) {
      const auto value = core::parse_bytes(*text);
      if (value)
        into = *value;
      else
        fail(name, value.error().message());
    }
  }
  void integer(std::string_view name, int low, int high, int& into) {
    if (const auto text = parsed_.get(name)) {
      const auto value = core::parse_int(*text);
      if (value && *value >= low && *value <= high)
        into = static_cast<int>(*value);
      else
        fail(name, "'" + std::string(*text) + "' is not a whole number from " + std::to_string(low) + " to " +
                       std::to_string(high));
    }
  }
  /// True when the option has the value `yes`; one of the two must be given.
  void choice(std::string_view name, std::string_view no, std::string_view yes, bool& into) {
    if (const auto text = parsed_.get(name)) {
      if (*text != no && *text != yes) {
        fail(name, "'" + std::string(*text) + "' is neither " + std::string(no) + " nor " + std::string(yes));
      }
      into = *text == yes;
    }
  }
  void text(std::string_view name, std::string& into) {
    if (const auto value = parsed_.get(name)) into = *value;
  }
  void text(std::string_view name, std::optional<std::string>& into) {
    if (const auto value = parsed_.get(name)) into = std::string(*value);
  }

  void fail(std::string_view name, const std::string& why) {
    if (!error_) error_ = Error(ErrorCode::kInvalid, parsed_.source(name) + ": " + why);
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  const core::ParsedOptions& parsed_;
  std::optional<Error> error_;
};

void read_settle(Reader& reader, const core::ParsedOptions& parsed, Config& config) {
  reader.duration("settle-floor", config.settle.floor);
  reader.duration("settle-cap", config.settle.cap);
  if (const auto text = parsed.get("settle"); text && *text != "auto") {
    reader.duration("settle", config.settle.fixed);
  }
  reader.duration("reclaim-floor", config.reclaim.floor);
  reader.duration("reclaim-cap", config.reclaim.cap);
  if (config.settle.cap < config.settle.floor) reader.fail("settle-cap", "is below " + parsed.source("settle-floor"));
}

void read_breaker(Reader& reader, Config& config) {
  reader.integer("max-failures", 0, 16, config.breaker.max_failures);
  reader.duration("failure-window", config.breaker.failure_window);
  reader.duration("held-for", config.breaker.held_for);
  reader.duration("backoff", config.breaker.first_delay);
  reader.duration("healthy-after", config.breaker.healthy_after);
}

}  // namespace

core::Result<Config> make_config(const core::ParsedOptions& parsed, bool shared, const std::string& hostname) {
  Config config;
  Reader reader(parsed);
  config.command = parsed.operands;
  if (config.command.empty()) return Error(ErrorCode::kInvalid, "no command given; write -- CMD ARGS…");

  reader.text("name", config.name);
  if (config.name.empty()) config.name = default_name(config.command, hostname);
  if (config.name.size() > kLongestName || config.name != core::printable(config.name, kLongestName)) {
    reader.fail("name", "'" + core::printable(config.name, 40) + "' is longer than 64 bytes or has control characters");
  }
  reader.integer("priority", gate::kMinPriority, gate::kMaxPriority, config.priority);
  reader.text("domain", config.domain);
  if (config.domain != "host" && config.domain != "gpu" && !config.domain.starts_with("gpu:")) {
    reader.fail("domain", "'" + config.domain + "' is neither host, gpu nor gpu:UUID,…");
  }
  reader.text("ready", config.ready);
  config.domain_source = parsed.source("domain");
  config.ready_source = parsed.source("ready");
  reader.text("preload", config.preload);
  read_settle(reader, parsed, config);
  reader.duration("gather", config.gather);
  if (config.gather && *config.gather > gate::kLongestGather) reader.fail("gather", "at most 60s");
  reader.duration("start-timeout", config.start_timeout);
  reader.duration("stall-timeout", config.stall_timeout);
  reader.duration("wait-timeout", config.wait_timeout);
  reader.duration("short-timeout", config.short_timeout);
  reader.duration("grace", config.grace);
  reader.bytes("reserve", config.reserve_bytes);
  bool yes = false;
  reader.choice("on-timeout", "release", "kill", yes);
  config.on_timeout = yes ? OnTimeout::kKill : OnTimeout::kRelease;
  yes = false;
  reader.choice("on-wait-timeout", "fail", "proceed", yes);
  config.on_wait_timeout = yes ? OnFailure::kProceed : OnFailure::kFail;
  yes = false;
  reader.choice("on-gate-error", "fail", "proceed", yes);
  config.on_gate_error = yes ? OnFailure::kProceed : OnFailure::kFail;
  reader.choice("on-short", "wait", "start", config.start_when_short);
  read_breaker(reader, config);
  config.hold_until_exit = parsed.has("hold-until-exit");
  config.always = parsed.has("always");
  config.quiet = parsed.has("quiet");
  reader.text("meminfo", config.meminfo);
  reader.text("gate-dir", config.gate_dir.path);
  config.gate_dir.demand_marker = shared || !parsed.has("gate-dir");
  if (auto path = gate::check_gate_path(config.gate_dir.path); !path) reader.fail("gate-dir", path.error().message());
  if (reader.error()) return *reader.error();
  return config;
}

std::string default_name(const std::vector<std::string>& command, const std::string& hostname) {
  std::string_view base = command.front();
  base = base.substr(base.rfind('/') + 1);
  std::uint32_t sum = core::crc32c(hostname);
  for (const auto& word : command) sum = core::crc32c(std::string_view(word.c_str(), word.size() + 1), sum);
  std::string name(base.substr(0, 40));
  std::ranges::replace_if(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '_');
  return name + "-" + core::to_hex(sum, 8);
}

}  // namespace antifreeze::run
