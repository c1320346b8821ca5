#include "runtime/invocation.h"

#include <algorithm>
#include <array>

namespace antifreeze::runtime {
namespace {

// Options whose value is a word of its own. From `runc --help`, `runc create --help` and crun's and youki's twins.
constexpr std::array<std::string_view, 8> kGlobalValues{"log",      "log-format",     "root", "criu",
                                                        "rootless", "cgroup-manager", "l",    "r"};
constexpr std::array<std::string_view, 6> kCreateValues{"bundle",       "b",           "console-socket", "pid-file",
                                                        "preserve-fds", "pidfd-socket"};

/// "--log=x" -> "log", with the value in `value`.
std::string_view option_name(std::string_view word, std::optional<std::string_view>& value) {
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  if (const auto equals = word.find('='); equals != std::string_view::npos) {
    value = word.substr(equals + 1);
    word = word.substr(0, equals);
  }
  return word;
}

}  // namespace

std::optional<CreateCall> read_create(std::span<const std::string_view> args) {
  std::size_t at = 0;
  for (; at < args.size() && args[at].starts_with("-"); ++at) {
    std::optional<std::string_view> value;
    const auto name = option_name(args[at], value);
    if (!value && std::ranges::count(kGlobalValues, name) != 0) ++at;
  }
  if (at >= args.size() || args[at] != "create") return std::nullopt;
  CreateCall call{".", ""};
  bool options_ended = false;
  for (++at; at < args.size(); ++at) {
    if (!options_ended && args[at] == "--") {
      options_ended = true;
    } else if (!options_ended && args[at].starts_with("-")) {
      std::optional<std::string_view> value;
      const auto name = option_name(args[at], value);
      if (!value && std::ranges::count(kCreateValues, name) != 0) {
        if (++at >= args.size()) return std::nullopt;
        value = args[at];
      }
      if ((name == "bundle" || name == "b") && value) call.bundle = *value;
    } else if (call.id.empty()) {
      call.id = args[at];
    } else {
      return std::nullopt;
    }
  }
  if (call.id.empty() || call.bundle.empty()) return std::nullopt;
  return call;
}

Flavour flavour_of(std::string_view program) {
  const auto base = program.substr(program.rfind('/') + 1);
  return base.find("nvidia") == std::string_view::npos ? Flavour::kPlain : Flavour::kNvidia;
}

}  // namespace antifreeze::runtime
