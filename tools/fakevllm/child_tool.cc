#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "core/options.h"
#include "core/text.h"
#include "fakevllm/child_process.h"
#include "fakevllm/command_line.h"
#include "fakevllm/device_tool.h"
#include "fakevllm/process.h"

namespace antifreeze::fakevllm {
namespace {

constexpr std::array<core::OptionSpec, 9> kOptions{{
    {"hold", "SIZE", "0", "device memory to hold"},
    {"port", "N", "0", "port of 127.0.0.1 to listen on"},
    {"for", "DURATION", "0", "0: until TERM"},
    {"ignore-term", "", "", "deaf to TERM and INT"},
    {"setsid", "", "", "hold in a double-forked process of its own session; this process ends at once"},
    {"stay", "", "", "with --setsid: this process stays too"},
    {"zombies", "N", "0", "orphans that end at once"},
    {"exit", "CODE", "0", "exit code"},
    {"signal", "NAME", "", "die by this signal in place of exiting"},
}};

}  // namespace

int child_main(std::span<const std::string_view> args) {
  const auto options = core::parse_options(kOptions, args);
  if (!options) {
    say_error("fakevllm child: " + options.error().message());
    return 2;
  }
  const auto text = [&](std::string_view name) { return options->get(name).value_or("0"); };
  auto config = make_config(dialects().front(), parse_command_line(dialects().front(), {}).value());
  const auto hold = size_option("hold", text("hold"));
  const auto duration = millis_option("for", text("for"));
  if (!config || !hold || !duration) {
    say_error("fakevllm child: " + (!config ? config.error() : !hold ? hold.error() : duration.error()).message());
    return 2;
  }
  SetsidChild child;
  child.hold = *hold;
  child.for_ns = *duration;
  child.port = static_cast<int>(core::parse_uint(text("port")).value_or(0));
  child.ignore_term = options->has("ignore-term");
  make_orphans(static_cast<int>(core::parse_uint(text("zombies")).value_or(0)));
  int code = 0;
  if (options->has("setsid")) spawn_setsid_child(*config, child);
  if (!options->has("setsid") || options->has("stay")) code = hold_as_child(*config, child);
  if (const auto signal = options->get("signal")) die_by_signal(signal_number(*signal));
  return options->has("exit") ? static_cast<int>(core::parse_uint(text("exit")).value_or(0)) : code;
}

}  // namespace antifreeze::fakevllm
