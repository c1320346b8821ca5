#include "run/run.h"

#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/text.h"
#include "engines/recognise.h"
#include "gate/preflight_decide.h"
#include "gate/ticket.h"
#include "host/dir.h"
#include "host/memory_kind.h"
#include "host/nvidia_proc.h"
#include "run/command.h"
#include "run/config.h"
#include "run/context.h"
#include "run/domain.h"
#include "run/holding.h"
#include "run/options_table.h"
#include "run/queue_wait.h"
#include "run/readiness.h"
#include "run/reclaim.h"
#include "run/supervisor.h"

namespace antifreeze::run {
namespace {

/// Tells the command, beside ANTIFREEZE_TICKET, whether the ticket is held until the command is up or ends.
constexpr const char* kWaitsForCommand = "ANTIFREEZE_TICKET_WAITS";

/// The environment that we were given, which the server gets too.
class Variables {
 public:
  explicit Variables(char** environment) {
    for (; environment != nullptr && *environment != nullptr; ++environment) all_.emplace_back(*environment);
  }
  [[nodiscard]] std::optional<std::string_view> get(std::string_view name) const {
    for (const auto& entry : all_) {
      const std::string_view text = entry;
      if (text.size() > name.size() && text[name.size()] == '=' && text.starts_with(name)) {
        return text.substr(name.size() + 1);
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] std::string value(std::string_view name) const { return std::string(get(name).value_or("")); }
  void set(const std::string& name, const std::string& value) {
    std::erase_if(all_, [&](const auto& entry) { return entry.starts_with(name + "="); });
    all_.push_back(name + "=" + value);
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

std::string help_text(std::string_view program) {
  return "usage: " + std::string(program) +
         " [options] -- CMD ARGS…\n\n"
         "Waits for its turn, starts CMD, and lets the next one start once CMD is up and memory has settled.\n"
         "Works as PID 1 of a container. Exit code: CMD's own, 128 + signal, 125 our failure, 126 not executable,\n"
         "127 not found, 2 usage.\n\noptions:\n" +
         core::options_help(kRunOptions) +
         "\nEach option has a twin in the environment: --start-timeout is ANTIFREEZE_START_TIMEOUT; an\n"
         "empty one counts as not set.\n"
         "ANTIFREEZE_SHARED=1 accepts only the host's own gate directory (with its gate.id).\n"
         "Durations: 300ms, 30s, 15m, 2h. Device memory of discrete GPUs cannot be seen from inside a container:\n"
         "settling is a fixed time there.\n";
}

/// Everything that one start needs, in the order in which it is found out.
class Start {
 public:
  Start(Config config, Variables variables, host::Identity identity, std::unique_ptr<host::ProcTree> processes,
        std::unique_ptr<host::MemorySource> memory)
      : config_(std::move(config)),
        variables_(std::move(variables)),
        identity_(std::move(identity)),
        processes_(std::move(processes)),
        memory_(std::move(memory)),
        report_(config_.name, clock_, *memory_, config_.quiet),
        notify_(variables_.value("NOTIFY_SOCKET")),
        context_{config_, identity_, clock_, signals_, *processes_, *memory_, report_, notify_} {}

  int run() {
    const auto path = resolve_command(config_.command.front(), variables_.value("PATH"));
    if (!path) {
      report_.say(path.error().message());
      return path.error().code() == core::ErrorCode::kNotFound ? kExitNotFound : kExitNotExecutable;
    }
    path_ = *path;
    engine_ = engines::recognise(config_.command, [this](std::string_view name) { return variables_.get(name); });
    auto spec = make_ready_spec(config_.ready, engine_, config_.preload);
    if (!spec) return fail(kExitUsage, config_.ready_source + ": " + spec.error().message());
    spec_ = std::move(*spec);
    // Before queueing: it costs milliseconds (the kernel walks its whole table of sockets) that nobody has to wait for.
    auto readiness = Readiness::make(context_, spec_);
    if (!readiness) return fail(kExitUsage, config_.ready_source + ": " + readiness.error().message());
    readiness_ = std::move(*readiness);
    auto domains = find_domains();
    if (!domains) return fail(kExitUsage, config_.domain_source + ": " + domains.error().message());
    if (!domains->note.empty())
      report_.say(config_.domain_source + " " + config_.domain + " means the whole host here: " + domains->note);
    domains_ = std::move(domains->names);
    std::string shown;
    for (const auto& name : domains_) shown += (shown.empty() ? "" : ",") + name;
    report_.set_domain(shown);
    if (is_part_of_a_start()) return pass_through();

    auto dir = gate::GateDir::open(config_.gate_dir);
    if (!dir) return without_gate(dir.error().message(), config_.on_gate_error);
    // A typing error makes a gate of its own, in which nobody else waits.
    if (dir->made()) print_line("made new gate directory " + dir->path());
    report_.use_gate(&*dir, identity_);
    return through_gate(*dir);
  }

 private:
  /// We are a part of a start that holds this gate at the moment, and that goes on only with us: a script behind
  /// antifreeze-run that itself calls antifreeze-run. Waiting for our turn would be waiting for ourselves. A start that
  /// does not ask whether its command is up lets go by itself; there we take our turn.
  bool is_part_of_a_start() {
    const auto outer = variables_.value("ANTIFREEZE_TICKET");
    if (outer.empty() || variables_.value(kWaitsForCommand) != "1") return false;
    auto options = config_.gate_dir;
    options.read_only = true;
    const auto dir = gate::GateDir::open(options);
    const auto held = dir ? gate::held_ticket(*dir, outer) : std::nullopt;
    return held && gate::domains_conflict(held->domains, domains_);
  }

  int pass_through() {
    report_.say("part of a start that holds the gate already (ANTIFREEZE_TICKET): runs the command as it is");
    const int failed = become_command(path_, config_.command, variables_.all(), signals_);
    report_.say(core::errno_error("cannot run " + path_, failed).message());
    return failed == ENOENT ? kExitNotFound : kExitNotExecutable;
  }

  int fail(int code, const std::string& why) {
    report_.say(why);
    return code;
  }

  core::Result<Domains> find_domains() {
    DomainInput input;
    input.asked = config_.domain;
    input.nvidia_visible = variables_.value("NVIDIA_VISIBLE_DEVICES");
    input.cuda_visible = variables_.value("CUDA_VISIBLE_DEVICES");
    input.cuda_visible_set = variables_.get("CUDA_VISIBLE_DEVICES").has_value();
    input.pci_order = variables_.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID";
    input.memory = memory_->kind();
    if (config_.domain != "host") {
      // No driver in sight is no error: then the domain is the host.
      if (auto gpus = host::list_nvidia_gpus()) input.gpus = std::move(*gpus);
    }
    // A simulation's memory says nothing about how many pools there are.
    if (config_.meminfo) input.memory = host::MemoryKind::kDiscrete;
    return resolve_domains(input);
  }

  /// The gate cannot be used, or was waited for long enough: policy decides.
  int without_gate(const std::string& why, OnFailure policy) {
    if (policy == OnFailure::kFail) return leave(kExitOwnFailure, why);
    report_.say(why + "; starting WITHOUT the gate, as asked");
    return supervise(nullptr, std::nullopt);
  }

  int leave(int code, const std::string& why) {
    Extra extra;
    extra.exit_code = code;
    report_.phase(gate::Phase::kExited, why, extra);
    if (config_.quiet) report_.say(why);
    return code;
  }

  int through_gate(const gate::GateDir& dir) {
    std::optional<core::MonoTime> short_since;
    std::string reason;
    for (;;) {
      if (const auto end = wait_for_permission(context_, dir)) return leave_by(end->signal);
      if (const auto fit = look_at_memory(); fit.answer == gate::PreflightAnswer::kNever && !config_.start_when_short) {
        const auto end = hold_for_memory(context_, dir, fit.text + "; lower the share or --reserve");
        if (end) return leave_by(end->signal);
        // Where no breaker can be kept nothing has been said yet.
        if (report_.current() != gate::Phase::kHeld) report_.phase(gate::Phase::kHeld, fit.text);
        if (const auto signal = pause()) return leave_by(*signal);  // reset, or --held-for is over: look again
        continue;
      }
      auto outcome = QueueWait(context_, dir, domains_).wait(reason);
      if (auto* refused = std::get_if<NotGranted>(&outcome)) {
        if (refused->why == NotGranted::Why::kSignal) return leave_by(refused->signal);
        const bool timeout = refused->why == NotGranted::Why::kTimeout;
        return without_gate(refused->message, timeout ? config_.on_wait_timeout : config_.on_gate_error);
      }
      auto& granted = std::get<Granted>(outcome);
      report_.phase(gate::Phase::kGranted, "");
      if (const auto signal = reclaim(context_, dir, granted.wrecks)) {
        (void)granted.ticket.release().has_value();
        return leave_by(*signal);
      }
      const auto fit = look_at_memory();
      const bool is_short = fit.answer == gate::PreflightAnswer::kShort || fit.answer == gate::PreflightAnswer::kNever;
      if (is_short && !config_.start_when_short) {
        (void)granted.ticket.release().has_value();  // rule W4: the others go first
        const auto since = short_since.value_or(clock_.monotonic());
        const auto until = since + config_.short_timeout;
        reason = "memory is short: " + fit.text;
        if (const auto signal = wait_for_memory(dir, until, reason)) return leave_by(*signal);
        short_since = clock_.monotonic() < until ? std::optional(since) : std::nullopt;
        continue;
      }
      if (is_short) report_.say(fit.text + "; starting all the same (--on-short start)");
      // Rule H2: whoever waited for us may have stopped doing so (suspended, or paused for long).
      if (granted.ticket.content().deadline < clock_.monotonic()) {
        (void)granted.ticket.release().has_value();
        reason = "our turn was over before it began";
        if (const auto signal = pause()) return leave_by(*signal);
        continue;
      }
      return supervise(&dir, std::move(granted.ticket));
    }
  }

  int leave_by(int signal) {
    return leave(kExitSignalBase + signal, "signal " + std::to_string(signal) + " before anything was started");
  }

  gate::PreflightVerdict look_at_memory() {
    gate::PreflightInput input;
    input.reserve = config_.reserve_bytes;
    input.unified = memory_->kind() == host::MemoryKind::kUnified;
    if (const auto reading = memory_->read()) {
      input.total = reading->total;
      input.available = reading->available;
      input.free = reading->free;
    }
    if (engine_ && engine_->share && engine_->share->stated && engine_->share->value) {
      const auto& share = *engine_->share;
      if (share.kind == engines::ShareKind::kTotal) input.share = *share.value;
      if (share.kind == engines::ShareKind::kBytes) input.bytes = static_cast<std::uint64_t>(*share.value);
    }
    if (engine_ && engine_->kv_bytes) {
      // vLLM takes a KV cache of a stated size whatever the share says; the larger of the two is what is known.
      const double of_share = input.share.value_or(0) * static_cast<double>(input.total.value_or(0));
      if (of_share < static_cast<double>(*engine_->kv_bytes)) input.bytes = *engine_->kv_bytes;
    }
    return gate::preflight(input);
  }

  /// Once in each round that ends without a start: rounds without a pause would spin. A signal that asks us to end is
  /// returned.
  std::optional<int> pause() {
    (void)signals_.wait({}, std::chrono::milliseconds(250)).has_value();
    return asked_to_end();
  }

  /// Without a ticket until what the command asks for fits, or `until` has come: then the service is held.
  std::optional<int> wait_for_memory(const gate::GateDir& dir, core::MonoTime until, const std::string& why) {
    report_.phase(gate::Phase::kQueued, why);
    if (const auto signal = pause()) return signal;
    while (look_at_memory().answer == gate::PreflightAnswer::kShort) {
      const auto now = clock_.monotonic();
      if (now >= until) {
        const auto end = hold_for_memory(context_, dir, why);
        return end ? std::optional(end->signal) : std::nullopt;
      }
      notify_.waiting("queued: " + why, now);
      (void)signals_.wait({}, std::min<core::Nanos>(until - now, std::chrono::milliseconds(250))).has_value();
      if (const auto signal = asked_to_end()) return signal;
    }
    return std::nullopt;
  }

  int supervise(const gate::GateDir* dir, std::optional<gate::OwnTicket> ticket) {
    report_.detail("ready means: " + spec_.how);
    if (ticket) {
      variables_.set("ANTIFREEZE_TICKET", ticket->name());
      variables_.set(kWaitsForCommand, config_.hold_until_exit || readiness_->asks() ? "1" : "0");
    }
    if (const auto socket = readiness_->notify_socket(); !socket.empty()) variables_.set("NOTIFY_SOCKET", socket);
    Launch launch;
    launch.argv = config_.command;
    launch.path = path_;
    launch.environment = variables_.all();
    if (auto* tap = readiness_->tap()) {
      launch.stdout_fd = tap->server_end(0);
      launch.stderr_fd = tap->server_end(1);
      launch.not_for_keeper = {tap->reading_end(0), tap->reading_end(1)};
    }
    return Supervisor(context_, dir, std::move(ticket), std::move(readiness_), std::move(launch)).run();
  }

  const Config config_;
  Variables variables_;
  const host::Identity identity_;
  const host::RealClock clock_;
  host::Signals signals_;
  std::unique_ptr<host::ProcTree> processes_;
  std::unique_ptr<host::MemorySource> memory_;
  Report report_;
  NotifyClient notify_;
  Context context_;
  std::string path_;
  std::optional<engines::EngineFacts> engine_;
  ReadySpec spec_;
  std::unique_ptr<Readiness> readiness_;
  std::vector<std::string> domains_;
};

std::optional<std::string> look_up(std::string_view name, const void* variables) {
  const auto value = static_cast<const Variables*>(variables)->get(name);
  return value ? std::optional<std::string>(*value) : std::nullopt;
}

}  // namespace

int run_main(std::span<const std::string_view> args, char** environment, std::string_view program) {
  host::reserve_standard_fds();
  Variables variables(environment);
  auto parsed = core::parse_options(kRunOptions, args);
  if (parsed && parsed->has("help")) {
    return host::write_all(STDOUT_FILENO, help_text(program)) ? 0 : kExitOwnFailure;
  }
  if (parsed && parsed->has("version")) {
    return host::write_all(STDOUT_FILENO, "antifreeze " ANTIFREEZE_VERSION "\n") ? 0 : kExitOwnFailure;
  }
  const auto usage = [&](const core::Error& error) {
    print_line(error.message() + "; see " + std::string(program) + " --help");
    return kExitUsage;
  };
  if (!parsed) return usage(parsed.error());
  if (auto filled = core::apply_environment(kRunOptions, *parsed, look_up, &variables); !filled)
    return usage(filled.error());
  auto identity = host::read_identity();
  if (!identity) {
    print_line(identity.error().message());
    return kExitOwnFailure;
  }
  const auto shared = variables.value("ANTIFREEZE_SHARED");
  if (!shared.empty() && shared != "1" && shared != "0") {
    return usage(core::Error(core::ErrorCode::kInvalid, "ANTIFREEZE_SHARED='" + shared + "' is neither 1 nor 0"));
  }
  auto config = make_config(*parsed, shared == "1", identity->hostname);
  if (!config) return usage(config.error());
  // A simulation's or a host agent's file speaks of the memory that the servers share.
  auto memory = config->meminfo
                    ? host::MeminfoSource::open(*config->meminfo, host::MemoryKind::kUnified)
                    : host::MeminfoSource::open(std::string(host::kKernelMeminfo), host::detect_memory_kind().kind);
  if (!memory) {
    print_line(memory.error().message());
    return kExitOwnFailure;
  }
  auto processes = host::RealProcTree::open();
  if (!processes) {
    print_line(processes.error().message());
    return kExitOwnFailure;
  }
  return Start(std::move(*config), std::move(variables), std::move(*identity), std::move(*processes),
               std::move(*memory))
      .run();
}

}  // namespace antifreeze::run
