#include "fakevllm/command_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "core/fd.h"
#include "core/text.h"
#include "fakevllm/knobs.h"

namespace antifreeze::fakevllm {
namespace {

using core::Error;
using core::ErrorCode;

std::string normal(std::string_view name) {
  std::string out(name);
  for (auto& c : out) {
    if (c == '.') break;
    if (c == '_') c = '-';
  }
  return out;
}

/// What an option word stands for: a flag of the engine or a knob.
struct Target {
  const FlagSpec* flag = nullptr;
  const core::OptionSpec* knob = nullptr;
  bool negated = false;

  [[nodiscard]] bool found() const { return flag != nullptr || knob != nullptr; }
  [[nodiscard]] char arity() const {
    if (knob != nullptr) return knob->metavar.empty() ? '0' : '1';
    return flag->arity;
  }
};

/// Looks a long name up, exactly and then as an unambiguous prefix.
class LongNames {
 public:
  explicit LongNames(const Dialect& dialect) : dialect_(dialect) {}

  [[nodiscard]] core::Result<Target> find(const std::string& name) const {
    if (auto target = exact(name); target.found()) return target;
    // Two knobs are also known under the device's own names.
    if (name == "wedge-on-floor" || name == "free-semantics") return exact("fake-" + name);
    if (name.starts_with("no-")) {
      auto target = exact(name.substr(3));
      if (target.found() && target.arity() == '0') {
        target.negated = true;
        return target;
      }
    }
    return by_prefix(name);
  }

 private:
  [[nodiscard]] Target exact(std::string_view name) const {
    Target target;
    each([&](std::string_view known, const Target& candidate) {
      if (known == name) target = candidate;
    });
    return target;
  }
  [[nodiscard]] core::Result<Target> by_prefix(std::string_view name) const {
    Target target;
    bool ambiguous = false;
    each([&](std::string_view known, const Target& candidate) {
      if (!known.starts_with(name)) return;
      if (target.found() && (target.flag != candidate.flag || target.knob != candidate.knob)) ambiguous = true;
      target = candidate;
    });
    if (ambiguous) return Error(ErrorCode::kInvalid, "ambiguous option: --" + std::string(name));
    if (!target.found()) return Error(ErrorCode::kInvalid, "unrecognized arguments: --" + std::string(name));
    return target;
  }
  template <typename Visit>
  void each(Visit visit) const {
    for (const auto& flag : dialect_.flags) {
      for (const auto name : core::split(flag.names, '|')) {
        if (!name.starts_with("-")) visit(normal(name), Target{&flag, nullptr, false});
      }
    }
    for (const auto& group : knob_groups()) {
      for (const auto& knob : group.knobs) visit(knob.name, Target{nullptr, &knob, false});
    }
  }

  const Dialect& dialect_;
};

const FlagSpec* find_short(const Dialect& dialect, std::string_view word) {
  for (const auto& flag : dialect.flags) {
    if (in_list(flag.names, word)) return &flag;
  }
  return nullptr;
}

void store(CommandLine& line, const Target& target, std::string value) {
  if (target.knob != nullptr) {
    line.knobs.insert_or_assign(std::string(target.knob->name), std::move(value));
  } else if (!target.flag->meaning.empty()) {
    line.flags.insert_or_assign(std::string(target.flag->meaning), std::move(value));
  }
}

core::Result<std::string> read_file(const std::string& path) {
  const core::Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return core::errno_error("opening " + path, errno);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t size = 0; (size = read(fd.get(), buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return text;
}

/// Top-level keys of a vLLM config file as option words.
core::Result<std::vector<std::string>> config_words(const std::string& path) {
  if (!path.ends_with(".yaml") && !path.ends_with(".yml")) {
    return Error(ErrorCode::kInvalid, "config file must be of a yaml/yml type: " + path);
  }
  auto text = read_file(path);
  if (!text) return std::move(text).error();
  std::vector<std::string> words;
  std::string_view rest = *text;
  while (const auto raw = core::next_line(rest)) {
    auto line = *raw;
    const auto comment = line.find(" #");
    line = core::trim(line.substr(0, comment));
    if (line.empty() || line.starts_with("#") || line.starts_with("---")) continue;
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return Error(ErrorCode::kInvalid, path + ": only 'key: value' lines are read");
    auto value = core::trim(line.substr(colon + 1));
    if (value.size() > 1 && (value.front() == '"' || value.front() == '\'')) value = value.substr(1, value.size() - 2);
    if (value == "false") continue;
    words.push_back("--" + std::string(core::trim(line.substr(0, colon))));
    if (value != "true") words.emplace_back(value);
  }
  return words;
}

core::Status parse_words(const Dialect& dialect, std::span<const std::string_view> words, CommandLine& line) {
  const LongNames names(dialect);
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto word = words[at];
    const bool is_long = word.starts_with("--") && word.size() > 2;
    if (!is_long && (word.size() < 2 || word[0] != '-')) {
      line.operands.emplace_back(word);
      continue;
    }
    const auto equals = word.find('=');
    std::optional<std::string> value;
    if (equals != std::string_view::npos) value = std::string(word.substr(equals + 1));
    Target target;
    if (is_long) {
      auto found = names.find(normal(word.substr(2, equals == std::string_view::npos ? equals : equals - 2)));
      if (!found) return std::move(found).error();
      target = *found;
    } else if (word.starts_with("-O") && word.size() > 2 && dialect.name == "vllm") {
      continue;
    } else {
      target.flag = find_short(dialect, word.substr(0, equals));
      if (target.flag == nullptr) return Error(ErrorCode::kInvalid, "unrecognized arguments: " + std::string(word));
    }
    if (target.arity() == '0') {
      store(line, target, target.negated ? "0" : value.value_or("1"));
      continue;
    }
    if (!value) {
      if (++at >= words.size())
        return Error(ErrorCode::kInvalid, "argument " + std::string(word) + ": expected one argument");
      value = std::string(words[at]);
      while (target.arity() == '*' && at + 1 < words.size() && !words[at + 1].starts_with("-")) ++at;
    }
    store(line, target, std::move(*value));
  }
  return {};
}

void apply_environment(const Dialect& dialect, CommandLine& line) {
  for (const auto& flag : dialect.flags) {
    if (flag.env.empty() || flag.meaning.empty()) continue;
    if (const char* value = std::getenv(std::string(flag.env).c_str())) {
      line.flags.emplace(std::string(flag.meaning), value);
    }
  }
  for (const auto& group : knob_groups()) {
    for (const auto& knob : group.knobs) {
      if (const char* value = std::getenv(knob_environment_name(knob.name).c_str())) {
        line.knobs.emplace(std::string(knob.name), value);
      }
    }
  }
}

}  // namespace

std::optional<std::string_view> CommandLine::flag(std::string_view meaning) const {
  const auto it = flags.find(meaning);
  if (it == flags.end()) return std::nullopt;
  return it->second;
}

std::optional<std::string_view> CommandLine::knob(std::string_view name) const {
  const auto it = knobs.find(name);
  if (it == knobs.end()) return std::nullopt;
  return it->second;
}

core::Result<CommandLine> parse_command_line(const Dialect& dialect, std::span<const std::string_view> words) {
  CommandLine line;
  if (auto status = parse_words(dialect, words, line); !status) return std::move(status).error();
  if (const auto config = line.flag("config")) {
    auto extra = config_words(std::string(*config));
    if (!extra) return std::move(extra).error();
    const std::vector<std::string_view> views(extra->begin(), extra->end());
    CommandLine from_file;
    if (auto status = parse_words(dialect, views, from_file); !status) return std::move(status).error();
    line.flags.merge(from_file.flags);
    line.knobs.merge(from_file.knobs);
  }
  apply_environment(dialect, line);
  return line;
}

}  // namespace antifreeze::fakevllm
