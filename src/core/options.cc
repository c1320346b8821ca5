#include "core/options.h"

#include <algorithm>

#include "core/text.h"

namespace antifreeze::core {
namespace {

Error unknown_option(std::span<const OptionSpec> specs, std::string_view word, std::string_view name) {
  std::string what = "unknown option '" + std::string(word) + "'";
  const OptionSpec* nearest = nullptr;
  std::size_t best = 4;  // further away than three edits it is no typing error
  for (const auto& spec : specs) {
    const auto distance = edit_distance(spec.name, name);
    if (distance < best) {
      best = distance;
      nearest = &spec;
    }
  }
  if (nearest != nullptr) what += "; did you mean --" + std::string(nearest->name) + "?";
  return {ErrorCode::kInvalid, std::move(what)};
}

const OptionSpec* find_long(std::span<const OptionSpec> specs, std::string_view name) {
  const auto it = std::ranges::find(specs, name, &OptionSpec::name);
  return it == specs.end() ? nullptr : &*it;
}

}  // namespace

std::optional<std::string_view> ParsedOptions::get(std::string_view name) const {
  const auto it = values.find(name);
  if (it == values.end()) return std::nullopt;
  return it->second;
}

std::string ParsedOptions::source(std::string_view name) const {
  return from_environment.contains(name) ? environment_name(name) : "--" + std::string(name);
}

Result<ParsedOptions> parse_options(std::span<const OptionSpec> specs, std::span<const std::string_view> args) {
  ParsedOptions parsed;
  std::size_t at = 0;
  for (; at < args.size(); ++at) {
    const auto word = args[at];
    if (word == "--") {
      ++at;
      break;
    }
    if (word.size() < 2 || word[0] != '-') break;
    const OptionSpec* spec = nullptr;
    std::optional<std::string_view> value;
    if (word.starts_with("--")) {
      const auto equals = word.find('=');
      const auto name = word.substr(2, equals == std::string_view::npos ? equals : equals - 2);
      if (equals != std::string_view::npos) value = word.substr(equals + 1);
      spec = find_long(specs, name);
      if (spec == nullptr) return unknown_option(specs, word.substr(0, equals), name);
    } else {
      const auto it = std::ranges::find(specs, word[1], &OptionSpec::short_name);
      if (it == specs.end()) return unknown_option(specs, word, word.substr(1));
      spec = &*it;
      if (word.size() > 2) value = word.substr(2);
    }
    const std::string shown = "--" + std::string(spec->name);
    if (spec->metavar.empty()) {
      if (value) return Error(ErrorCode::kInvalid, "option " + shown + " takes no value");
      value = "1";
    } else if (!value) {
      if (++at >= args.size()) {
        return Error(ErrorCode::kInvalid, "option " + shown + " needs a value: " + std::string(spec->metavar));
      }
      value = args[at];
    }
    parsed.values.insert_or_assign(std::string(spec->name), std::string(*value));
  }
  for (; at < args.size(); ++at) parsed.operands.emplace_back(args[at]);
  return parsed;
}

std::string environment_name(std::string_view option) {
  std::string name = "ANTIFREEZE_";
  for (const char c : option) name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

Status apply_environment(std::span<const OptionSpec> specs, ParsedOptions& parsed, EnvLookup lookup,
                         const void* context) {
  for (const auto& spec : specs) {
    // They ask for something else than a run; ANTIFREEZE_VERSION in an image is that image's own version.
    if (spec.name == "help" || spec.name == "version" || parsed.has(spec.name)) continue;
    const auto name = environment_name(spec.name);
    auto value = lookup(name, context);
    if (!value || value->empty()) continue;
    if (spec.metavar.empty()) {
      std::string lower = *value;
      std::ranges::transform(lower, lower.begin(),
                             [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
      if (lower == "0" || lower == "false" || lower == "no" || lower == "off") continue;
      if (lower != "1" && lower != "true" && lower != "yes" && lower != "on") {
        return Error(ErrorCode::kInvalid, "environment variable " + name + "='" + *value + "' is neither 1 nor 0");
      }
      value = "1";
    }
    parsed.values.emplace(std::string(spec.name), std::move(*value));
    parsed.from_environment.emplace(spec.name);
  }
  return {};
}

std::string options_help(std::span<const OptionSpec> specs) {
  std::size_t width = 0;
  const auto left = [](const OptionSpec& spec) {
    std::string text = spec.short_name != 0 ? std::string("-") + spec.short_name + ", " : "";
    text += "--" + std::string(spec.name);
    if (!spec.metavar.empty()) text += " " + std::string(spec.metavar);
    return text;
  };
  for (const auto& spec : specs) width = std::max(width, std::min<std::size_t>(left(spec).size(), 34));
  std::string out;
  for (const auto& spec : specs) {
    const auto column = left(spec);
    out += "  " + column;
    out += column.size() > width ? "\n" + std::string(width + 4, ' ') : std::string(width + 2 - column.size(), ' ');
    out += spec.help;
    if (!spec.fallback.empty()) out += " [" + std::string(spec.fallback) + "]";
    out += '\n';
  }
  return out;
}

}  // namespace antifreeze::core
