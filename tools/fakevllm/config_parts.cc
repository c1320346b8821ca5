#include "fakevllm/config_parts.h"

#include <algorithm>
#include <csignal>

#include "core/text.h"
#include "core/time.h"
#include "core/units.h"
#include "fakevllm/knobs.h"
#include "fakevllm/process.h"

namespace antifreeze::fakevllm {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::array<std::string_view, kPhases> kNames{"import",  "bind", "init_device", "load",
                                                       "profile", "kv",   "capture",     "serve"};

Error bad(std::string_view name, std::string_view value, std::string_view why) {
  return {ErrorCode::kInvalid, "--" + std::string(name) + ": '" + std::string(value) + "' " + std::string(why)};
}

/// Splits "P:REST"; phase -1 when there is no such phase.
std::pair<int, std::string_view> phase_and_rest(std::string_view text) {
  const auto colon = text.find(':');
  const auto rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  return {phase_number(text.substr(0, colon)), rest};
}

core::Status apply_trap_word(std::string_view knob, std::string_view word, Trap& trap) {
  const auto equals = word.find('=');
  const auto name = word.substr(0, equals);
  const auto value = equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
  if (name == "exit") {
    trap.by_signal = false;
    trap.code = static_cast<int>(core::parse_uint(value.empty() ? "1" : value).value_or(1));
  } else if (name == "signal" || name.starts_with("SIG")) {
    trap.by_signal = true;
    trap.code = name.starts_with("SIG") ? signal_number(name) : signal_number(value.empty() ? "SEGV" : value);
    if (trap.code == 0) return bad(knob, word, "is no signal");
  } else if (name == "after_ms" || name == "after") {
    auto after = millis_option(knob, value);
    if (!after) return std::move(after).error();
    trap.after_ns = *after;
  } else if (name == "times") {
    trap.times = static_cast<int>(core::parse_uint(value).value_or(1));
  } else if (name == "who") {
    trap.in_parent = value == "parent";
  } else {
    return bad(knob, word, "is none of exit, signal, after_ms, times, who");
  }
  return {};
}

}  // namespace

std::string_view phase_name(int phase) { return kNames[static_cast<std::size_t>(phase)]; }

int phase_number(std::string_view text) {
  if (const auto number = core::parse_uint(text); number && *number < kPhases) return static_cast<int>(*number);
  const auto it = std::ranges::find(kNames, text);
  return it == kNames.end() ? -1 : static_cast<int>(it - kNames.begin());
}

std::string_view knob_default(std::string_view name) {
  for (const auto& group : knob_groups()) {
    for (const auto& knob : group.knobs) {
      if (knob.name == name) return knob.fallback;
    }
  }
  return {};
}

core::Result<std::uint64_t> size_option(std::string_view name, std::string_view value) {
  if (value.empty()) return std::uint64_t{0};
  auto bytes = core::parse_bytes(value);
  if (!bytes) return std::move(bytes).error().with_context("--" + std::string(name));
  return *bytes;
}

core::Result<std::int64_t> millis_option(std::string_view name, std::string_view value) {
  if (const auto number = core::parse_decimal(value)) return static_cast<std::int64_t>(*number * 1e6);
  auto duration = core::parse_duration(value);
  if (!duration) return std::move(duration).error().with_context("--" + std::string(name));
  return duration->count();
}

core::Result<std::uint64_t> kv_bytes_option(std::string_view value) {
  constexpr std::string_view kDecimal = "kmgt";
  constexpr std::string_view kBinary = "KMGT";
  const auto fail = [&] {
    return bad("kv-cache-memory-bytes", value, "is not a number with k, m, g, t or K, M, G, T");
  };
  if (value.empty()) return fail();
  double factor = 1;
  auto digits = value;
  const auto decimal = kDecimal.find(value.back());
  const auto binary = kBinary.find(value.back());
  for (std::size_t i = 0; decimal != std::string_view::npos && i <= decimal; ++i) factor *= 1000;
  for (std::size_t i = 0; binary != std::string_view::npos && i <= binary; ++i) factor *= 1024;
  if (factor > 1) digits.remove_suffix(1);
  const auto number = core::parse_decimal(digits);
  // vLLM takes a fraction with the decimal suffixes only.
  if (!number || (decimal == std::string_view::npos && digits.find('.') != std::string_view::npos)) return fail();
  return static_cast<std::uint64_t>(*number * factor);
}

core::Result<std::vector<SettleStep>> parse_settle(std::string_view pattern) {
  std::vector<SettleStep> steps;
  for (const auto word : core::split(pattern, ',')) {
    const auto at = word.find('@');
    if (at == std::string_view::npos || at < 2 || (word[0] != '+' && word[0] != '-')) {
      return bad("fake-settle", word, "is not of the form +256M@0.5s");
    }
    auto bytes = size_option("fake-settle", word.substr(1, at - 1));
    if (!bytes) return std::move(bytes).error();
    auto when = millis_option("fake-settle", word.substr(at + 1));
    if (!when) return std::move(when).error();
    const auto amount = static_cast<std::int64_t>(*bytes);
    steps.push_back({word[0] == '-' ? -amount : amount, *when});
  }
  std::ranges::stable_sort(steps, {}, &SettleStep::at_ns);
  return steps;
}

core::Result<std::vector<Trap>> parse_traps(std::string_view knob, std::string_view text) {
  std::vector<Trap> traps;
  for (const auto word : core::split(text, ',')) {
    const auto [phase, rest] = phase_and_rest(word);
    if (phase < 0) return bad(knob, word, "starts with no phase");
    Trap trap;
    trap.phase = phase;
    trap.in_parent = phase <= kBind;  // the engine process does not exist before
    if (!rest.empty()) {
      for (const auto part : core::split(rest, ':')) {
        if (auto status = apply_trap_word(knob, part, trap); !status) return std::move(status).error();
      }
    }
    traps.push_back(trap);
  }
  return traps;
}

core::Status parse_slow(std::string_view text, std::array<std::int64_t, kPhases>& slow_ns) {
  for (const auto word : core::split(text, ',')) {
    const auto [phase, rest] = phase_and_rest(word);
    if (phase < 0) return bad("fake-slow", word, "starts with no phase");
    auto duration = millis_option("fake-slow", rest);
    if (!duration) return std::move(duration).error();
    slow_ns[static_cast<std::size_t>(phase)] = *duration;
  }
  return {};
}

core::Status parse_wait(std::string_view text, std::array<std::string, kPhases>& files) {
  for (const auto word : core::split(text, ',')) {
    const auto [phase, rest] = phase_and_rest(word);
    if (phase < 0 || rest.empty()) return bad("fake-wait", word, "is not of the form P:FILE");
    files[static_cast<std::size_t>(phase)] = rest;
  }
  return {};
}

core::Result<SetsidChild> setsid_child_option(std::string_view value) {
  SetsidChild child;
  child.wanted = true;
  for (const auto word : core::split(value, ',')) {
    const auto equals = word.find('=');
    const auto name = word.substr(0, equals);
    const auto text = equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    if (name == "hold") {
      auto bytes = size_option("fake-setsid-child", text);
      if (!bytes) return std::move(bytes).error();
      child.hold = *bytes;
    } else if (name == "for") {
      auto duration = millis_option("fake-setsid-child", text);
      if (!duration) return std::move(duration).error();
      child.for_ns = *duration;
    } else if (name == "port") {
      child.port = static_cast<int>(core::parse_uint(text).value_or(0));
    } else if (name == "ignore-term") {
      child.ignore_term = true;
    } else if (name != "1" && !name.empty()) {
      return bad("fake-setsid-child", word, "is none of hold=, port=, for=, ignore-term");
    }
  }
  return child;
}

}  // namespace antifreeze::fakevllm
