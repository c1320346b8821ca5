#include "fakevllm/device_tool.h"

#include <poll.h>

#include <array>
#include <cstdlib>

#include "core/options.h"
#include "core/text.h"
#include "core/units.h"
#include "fakevllm/child_process.h"
#include "fakevllm/config.h"
#include "fakevllm/config_parts.h"
#include "fakevllm/device.h"
#include "fakevllm/json_text.h"
#include "fakevllm/process.h"

namespace antifreeze::fakevllm {
namespace {

using core::OptionSpec;
using core::ParsedOptions;

constexpr std::array<OptionSpec, 16> kOptions{{
    {"dir", "DIR", "", "folder; else FAKE_GPU_DIR"},
    {"gpu", "N", "0", "device"},
    {"total", "SIZE", "100GiB", "device memory"},
    {"unified", "", "", "one memory for host and device (default)"},
    {"discrete", "", "", "memory of its own"},
    {"host-floor", "SIZE", "0", "NV_ERR_NO_MEMORY below this"},
    {"page-cache", "SIZE", "0", "file pages"},
    {"release-lag", "MS", "0", "how long dead processes' memory stays booked"},
    {"wedge-on-floor", "", "", "wedge when below the floor"},
    {"free-semantics", "available|free", "available", "what mem_get_info says"},
    {"uuid", "UUID", "", "name for CUDA_VISIBLE_DEVICES"},
    {"json", "", "", "one object on one line"},
    {"for", "DURATION", "0", "0: until TERM"},
    {"svc", "NAME", "cotenant", "service in the journal"},
    {"every", "MS", "10", "how often"},
    {"ignore-term", "", "", "deaf to TERM and INT"},
}};

int complain(const core::Error& error, int code) {
  say_error("fakevllm device: " + error.message());
  return code;
}

std::string directory(const ParsedOptions& options) {
  if (const auto dir = options.get("dir")) return std::string(*dir);
  const char* dir = std::getenv("FAKE_GPU_DIR");
  return dir != nullptr ? dir : std::string(knob_default("fake-gpu-dir"));
}

std::string_view text(const ParsedOptions& options, std::string_view name) {
  for (const auto& spec : kOptions) {
    if (spec.name == name) return options.get(name).value_or(spec.fallback);
  }
  return {};
}

int device_index(const ParsedOptions& options) {
  return static_cast<int>(core::parse_uint(text(options, "gpu")).value_or(0));
}

core::Result<LedgerHeader> header_from(const ParsedOptions& options) {
  LedgerHeader header;
  for (const auto& [name, field] : {std::pair{"total", &header.total}, std::pair{"host-floor", &header.host_floor},
                                    std::pair{"page-cache", &header.page_cache}}) {
    auto bytes = size_option(name, text(options, name));
    if (!bytes) return std::move(bytes).error();
    *field = *bytes;
  }
  auto lag = millis_option("release-lag", text(options, "release-lag"));
  if (!lag) return std::move(lag).error();
  header.release_lag_ns = *lag;
  header.unified = options.has("discrete") ? 0 : 1;
  header.wedge_on_floor = options.has("wedge-on-floor") ? 1 : 0;
  header.count_cache = text(options, "free-semantics") == "free" ? 1 : 0;
  set_field(header.uuid, text(options, "uuid"));
  return header;
}

int show(const LedgerImage& image, bool as_json) {
  const auto& header = image.header;
  std::string records;
  for (const auto& record : image.records) {
    core::JsonLine line;
    line.add("pid", static_cast<std::int64_t>(record.pid))
        .add("pidns", record.pid_namespace)
        .add("start_time", record.start_time)
        .add("svc", std::string_view(record.service.data()))
        .add("role", std::string_view(record.tag.data()))
        .add("torch", record.torch)
        .add("non_torch", record.non_torch)
        .add("dying", record.dying != 0);
    records += (records.empty() ? "" : ",") + line.str();
    if (!as_json) {
      say(std::string(record.service.data()) + " " + record.tag.data() + " pid " + std::to_string(record.pid) + ": " +
          core::format_bytes(record.torch + record.non_torch) + (record.dying != 0 ? " (dying)" : ""));
    }
  }
  if (!as_json) {
    say("free " + core::format_bytes(image.free_bytes(false)) + " of " + core::format_bytes(header.total) +
        (header.unified != 0 ? ", unified, page cache " + core::format_bytes(header.page_cache) : "") +
        (header.wedged != 0 ? ", WEDGED" : ""));
    return 0;
  }
  core::JsonLine line;
  line.add("total", header.total)
      .add("used", image.used())
      .add("free", image.free_bytes(header.count_cache != 0))
      .add("mem_available", image.free_bytes(false))
      .add("mem_free", image.free_bytes(true))
      .add("unified", header.unified != 0)
      .add("host_floor", header.host_floor)
      .add("page_cache", header.page_cache)
      .add("release_lag_ns", header.release_lag_ns)
      .add("wedged", header.wedged != 0)
      .add("seq", header.seq)
      .add("uuid", std::string_view(header.uuid.data()));
  std::string object = line.str();
  object.pop_back();
  say(object + ",\"records\":[" + records + "]}");
  return 0;
}

int hold(const ParsedOptions& options, const LedgerHeader& fresh, std::string_view size) {
  SetsidChild child;
  auto bytes = size_option("hold", size);
  if (!bytes) return complain(bytes.error(), 2);
  auto duration = millis_option("for", text(options, "for"));
  if (!duration) return complain(duration.error(), 2);
  child.hold = *bytes;
  child.for_ns = *duration;
  child.ignore_term = options.has("ignore-term");
  Config config;
  config.gpu_dir = directory(options);
  config.devices = {device_index(options)};
  config.fresh_ledger = fresh;
  config.service = text(options, "svc");
  return hold_as_child(config, child);
}

int watch(const Ledger& ledger, std::int64_t every_ns) {
  const int signal_fd = make_signal_fd(false, false);
  for (;;) {
    if (ledger.needs_sweep()) {
      if (auto locked = ledger.lock()) (void)locked->commit(false);
    }
    pollfd fd{signal_fd, POLLIN, 0};
    (void)poll(&fd, 1, static_cast<int>(every_ns / kMillisecond));
    if (next_signal(signal_fd) != 0) return 0;
  }
}

}  // namespace

int device_main(std::span<const std::string_view> args) {
  if (args.empty()) return complain({core::ErrorCode::kInvalid, "init, show, hold, cache or watch?"}, 2);
  const auto verb = args[0];
  std::string_view operand;
  args = args.subspan(1);
  if ((verb == "hold" || verb == "cache") && !args.empty()) {
    operand = args[0];
    args = args.subspan(1);
  }
  auto options = core::parse_options(kOptions, args);
  if (!options) return complain(options.error(), 2);
  const auto header = header_from(*options);
  if (!header) return complain(header.error(), 2);
  const std::string dir = directory(*options);
  const int index = device_index(*options);
  if (verb == "init") {
    auto status = Ledger::create(dir, index, *header);
    return status ? 0 : complain(status.error(), 1);
  }
  if (verb == "hold") return hold(*options, *header, operand);
  auto ledger = Ledger::open(dir, index, *header);
  if (!ledger) return complain(ledger.error(), 1);
  if (verb == "watch") {
    auto every = millis_option("every", text(*options, "every"));
    return every ? watch(*ledger, *every) : complain(every.error(), 2);
  }
  auto locked = ledger->lock();
  if (!locked) return complain(locked.error(), 1);
  if (verb == "show") {
    (void)locked->commit(false);
    return show(locked->image, options->has("json"));
  }
  if (verb == "cache") {
    auto bytes = size_option("cache", operand);
    if (!bytes) return complain(bytes.error(), 2);
    locked->image.header.page_cache = 0;
    locked->image.add_cache(*bytes);
    auto status = locked->commit();
    return status ? 0 : complain(status.error(), 1);
  }
  return complain({core::ErrorCode::kInvalid, "no such command: " + std::string(verb)}, 2);
}

}  // namespace antifreeze::fakevllm
