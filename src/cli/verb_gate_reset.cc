// antifreeze gate reset
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/commands.h"
#include "cli/duration_text.h"
#include "cli/exit_codes.h"
#include "cli/gate_options.h"
#include "cli/json_text.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "gate/breaker_decide.h"
#include "gate/breaker_file.h"
#include "gate/gate_state.h"
#include "gate/keep_copy.h"
#include "host/dir.h"
#include "host/dir_edit.h"

namespace antifreeze::cli {
namespace {

using core::Error;
using core::ErrorCode;

/// A breaker's file, readable or not.
struct Record {
  std::string file;
  std::string service;                        ///< of a damaged one: the file's name
  std::optional<gate::BreakerRecord> record;  ///< nullopt: damaged
};

core::Result<std::vector<Record>> read_records(const gate::GateDir& dir) {
  auto names = host::list_names(dir.fd(), 8192);
  if (!names) return std::move(names).error();
  std::vector<Record> records;
  for (auto& name : names->names) {
    if (!gate::is_breaker_file_name(name)) continue;
    const auto text = host::read_file_at(dir.fd(), name, gate::kBreakerFileBytes);
    if (!text && text.error().code() == ErrorCode::kNotFound) continue;
    auto record = text ? gate::decode_breaker(*text) : core::Result<gate::BreakerRecord>(text.error());
    if (record) {
      auto service = record->service;
      records.push_back({name, std::move(service), std::move(*record)});
    } else {
      records.push_back({name, name, std::nullopt});
    }
  }
  return records;
}

std::string before_text(const Record& record, const gate::BreakerNow& now) {
  if (!record.record) return "its record was damaged";
  auto copy = *record.record;
  gate::rebase(copy, now);
  std::string text = std::to_string(copy.failures_in_a_row) + (copy.failures_in_a_row == 1 ? " failure" : " failures");
  if (copy.hold) {
    text = "held for " + short_duration(now.boottime - copy.hold->since.boottime) + " after " + text;
    if (!copy.hold->reason.empty()) text += " (" + core::printable(copy.hold->reason, 200) + ")";
  }
  return text;
}

/// Does it and reads it back: the record must be there without hold and failures, or gone when it was damaged.
core::Status reset_one(const gate::GateDir& dir, const Record& record, const gate::BreakerNow& now) {
  if (!record.record) return host::unlink_at(dir.fd(), record.file);
  auto fresh = gate::load_breaker(dir.fd(), record.service);  // again: the lock is ours only since a moment ago
  if (!fresh) return std::move(fresh).error();
  gate::reset(*fresh, now);
  if (auto stored = gate::store_breaker(dir.fd(), *fresh, false, true); !stored) return stored;
  const auto read_back = gate::load_breaker(dir.fd(), record.service);
  if (!read_back) return read_back.error();
  if (read_back->hold || read_back->failures_in_a_row != 0) {
    return Error(ErrorCode::kTampered, "the record of " + core::printable(record.service) + " changed again at once");
  }
  return {};
}

/// The copy on disk follows when the host's side runs; where it does not, a reset must not be undone by the next boot.
void save_to_disk(const Context& context, const gate::GateDir& dir, const core::ParsedOptions& parsed) {
  if (dir.trusted() && !parsed.has("state-dir")) return;  // nothing of this directory is kept
  const auto path = state_dir_of(parsed);
  const auto state = host::open_dir(AT_FDCWD, path);
  gate::CopyReport report;
  const auto saved = state ? gate::copy_breakers(dir.fd(), state->get(), true, report) : core::Status(state.error());
  if (!saved && !context.quiet) {
    context.err("antifreeze: not yet saved to " + path + " (" + saved.error().message() +
                "); antifreeze-gate.service does it when it runs\n");
  }
}

int unknown_service(const Context& context, const std::string& name, const std::vector<Record>& records) {
  std::vector<std::string_view> known;
  for (const auto& record : records) known.push_back(record.service);
  std::string what = "gate reset: there is no record of '" + core::printable(name) + "'";
  const auto near = nearest(name, known);
  if (!near.empty())
    what += "; did you mean '" + core::printable(near) + "'?";
  else
    what += "; 'antifreeze gate status' lists what is held";
  return fail(context, Error(ErrorCode::kNotFound, what));
}

int reset_services(const Context& context, const core::ParsedOptions& parsed, const gate::GateDir& dir,
                   const std::optional<std::string>& name) {
  const auto identity = host::read_identity();
  if (!identity) return fail(context, identity.error());
  const host::Signals signals;
  const auto lock = context.dry_run ? core::Result<std::optional<gate::RegistryLock>>(std::nullopt) : [&] {
    auto taken = lock_registry(dir, signals, context.clock);
    if (!taken) return core::Result<std::optional<gate::RegistryLock>>(taken.error());
    return core::Result<std::optional<gate::RegistryLock>>(std::optional(std::move(*taken)));
  }();
  if (!lock) return fail(context, Error(lock.error()).with_context("gate reset"));
  auto records = read_records(dir);
  if (!records) return fail(context, std::move(records).error().with_context("gate reset"));
  if (name) {
    const auto file = gate::breaker_file_name(*name);
    const auto it = std::ranges::find(*records, file, &Record::file);
    if (it == records->end()) return unknown_service(context, *name, *records);
    *records = {*it};
  }
  const gate::BreakerNow now{context.clock.boottime(), context.clock.wall(), identity->boot_id};
  Json done = Json::array();
  for (const auto& record : *records) {
    const auto before = before_text(record, now);
    if (!context.dry_run) {
      auto reset = reset_one(dir, record, now);
      if (!reset)
        return fail_as(context, std::move(reset).error().with_context("gate reset " + core::printable(record.service)),
                       ::geteuid());
    }
    context.note(core::printable(record.service) + (context.dry_run ? ": would be reset; " : ": reset; ") +
                 (context.dry_run ? "now " : "was ") + before);
    done.push_back({{"service", record.service}, {"before", before}});
  }
  if (records->empty()) context.note("no service has a record");
  if (!context.dry_run && !records->empty()) save_to_disk(context, dir, parsed);
  if (context.json) {
    context.out(json_text({{"schema", "antifreeze/gate-reset/v1"},
                           {"directory", dir.path()},
                           {"dry_run", context.dry_run},
                           {"services", done}}));
  }
  return kExitFine;
}

int reset_registry(const Context& context, const gate::GateDir& dir) {
  const auto owner = registry_owner(dir);
  const std::string was = owner.empty() ? "" : ", which " + owner + " had locked";
  if (!context.dry_run) {
    auto replaced = dir.replace_registry();
    if (!replaced)
      return fail_as(context, std::move(replaced).error().with_context("gate reset --registry"), ::geteuid());
  }
  context.note((context.dry_run ? "would replace" : "replaced") + std::string(" the registry of ") + dir.path() + was);
  if (context.json) {
    context.out(json_text({{"schema", "antifreeze/gate-reset/v1"},
                           {"directory", dir.path()},
                           {"dry_run", context.dry_run},
                           {"registry", true}}));
  }
  return kExitFine;
}

int leave_safe_boot(const Context& context, const core::ParsedOptions& parsed, const gate::GateDir& dir) {
  const auto identity = host::read_identity();
  if (!identity) return fail(context, identity.error());
  const auto reason = gate::safe_boot(dir);
  if (!context.dry_run) {
    auto left = gate::leave_safe_boot({dir.path(), state_dir_of(parsed)}, identity->boot_id, context.clock);
    if (!left) return fail_as(context, std::move(left).error().with_context("gate reset --safe-boot"), ::geteuid());
    if (gate::safe_boot(dir)) {
      return fail(context, Error(ErrorCode::kTampered, "gate reset --safe-boot: the mark is still there"));
    }
  }
  if (!reason) {
    context.note("this is no safe boot; the boots so far " + std::string(context.dry_run ? "would" : "do") +
                 " not count any more");
  } else {
    context.note(std::string(context.dry_run ? "would leave" : "left") +
                 " the safe boot: " + core::printable(*reason, 200));
  }
  if (context.json) {
    context.out(json_text({{"schema", "antifreeze/gate-reset/v1"},
                           {"directory", dir.path()},
                           {"dry_run", context.dry_run},
                           {"was_safe_boot", reason.has_value()}}));
  }
  return kExitFine;
}

int run_reset(const Context& context, const core::ParsedOptions& parsed) {
  const bool all = parsed.has("all");
  const bool registry = parsed.has("registry");
  const bool safe_boot = parsed.has("safe-boot");
  const auto targets = static_cast<std::size_t>(all) + static_cast<std::size_t>(registry) +
                       static_cast<std::size_t>(safe_boot) + parsed.operands.size();
  if (targets != 1) return usage_error(context, "name one thing to reset: NAME, --all, --registry or --safe-boot");
  const auto dir = open_existing_gate(parsed);
  if (!dir) return fail_as(context, dir.error(), ::geteuid());
  if (registry) return reset_registry(context, *dir);
  if (safe_boot) return leave_safe_boot(context, parsed, *dir);
  return reset_services(context, parsed, *dir, all ? std::nullopt : std::optional(parsed.operands.front()));
}

constexpr std::array kOptions{
    core::OptionSpec{"all", "", "", "every service"},
    core::OptionSpec{"registry", "", "", "replace a registry whose lock somebody holds and does not give back"},
    core::OptionSpec{"safe-boot", "", "", "end a safe boot: servers start again"},
    kGateDirOption,
    kStateDirOption,
};
constexpr std::array kExamples{
    Example{"sudo antifreeze gate reset chat", "Chat may start again; it does so within a second."},
    Example{"sudo antifreeze gate reset --safe-boot", "After repeated unclean boots: go on."},
};

}  // namespace

const Command kGateResetVerb{
    .path = "gate reset",
    .summary = "let a held service, or a whole safe boot, start again",
    .description =
        "NAME or --all: forgets failed starts and lets a held service start again; its totals stay. What the service "
        "was "
        "held for is printed.\n\n"
        "--safe-boot: ends the state in which nothing starts by itself after repeated unclean boots, and lets those "
        "boots not count any more.\n\n"
        "--registry: puts a fresh registry in place of one whose lock is not given back (a frozen process inside it). "
        "Waiting starts notice it within a second.\n\n"
        "A record belongs to the user who runs the service: that user or root can reset it.",
    .operands = "NAME",
    .max_operands = 1,
    .options = kOptions,
    .examples = kExamples,
    .has_json = true,
    .handler = run_reset,
};

}  // namespace antifreeze::cli
