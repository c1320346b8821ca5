#include "engines/recognise.h"

#include <vector>

#include "core/text.h"
#include "engines/dialect.h"
#include "engines/launchers.h"
#include "engines/shell_eval.h"
#include "engines/table.h"

namespace antifreeze::engines {
namespace {

// Longer or deeper than anything that a person would write.
constexpr std::size_t kMostWords = 4096;
constexpr int kDeepest = 12;
// Commands looked at in all: scripts that call themselves through a variable would multiply at each level.
constexpr int kMostCommands = 256;

// How far a search may still go.
struct Limits {
  int depth;
  int* commands;

  [[nodiscard]] Limits deeper() const { return {depth - 1, commands}; }
};

using Words = std::span<const Word>;

std::optional<EngineFacts> find_engine(Words words, Environment env, Limits limits);

bool name_matches(const Form& form, std::string_view path) {
  if (form.name.find('/') == std::string_view::npos) return base_name(path) == form.name;
  if (!path.ends_with(form.name)) return false;
  const std::size_t front = path.size() - form.name.size();
  return front == 0 || form.name.front() == '/' || path[front - 1] == '/';
}

// How many words the subcommands take; nullopt when they are not there.
std::optional<std::size_t> match_subcommands(std::string_view wanted, Words words) {
  std::size_t at = 0;
  for (const std::string_view sub : core::split_words(wanted)) {
    const bool there =
        at < words.size() && words[at].known() && words[at].text == (sub[0] == '!' ? sub.substr(1) : sub);
    if (there == (sub[0] == '!')) return std::nullopt;
    if (there) ++at;
  }
  return at;
}

// An engine whose program or module is `name`, with `args` behind it.
std::optional<EngineFacts> match_engine(Form::Kind kind, std::string_view name, Words args, const Environment& env) {
  for (const Dialect* dialect : all_dialects()) {
    for (const Form& form : dialect->forms) {
      if (form.kind != kind) continue;
      if (kind == Form::Kind::kModule ? name != form.name : !name_matches(form, name)) continue;
      const auto taken = match_subcommands(form.subcommands, args);
      if (!taken) continue;
      const Words rest = args.subspan(*taken);
      if (form.needs_proof && !dialect->confirms(ParsedArgs(rest, dialect->flags, dialect->grammar), env)) continue;
      return read_facts(*dialect, rest, env);
    }
  }
  return std::nullopt;
}

bool is_python(std::string_view path) {
  std::string_view name = base_name(path);
  for (const std::string_view stem : {"python", "pypy"}) {
    if (!name.starts_with(stem)) continue;
    name.remove_prefix(stem.size());
    return name.find_first_not_of("0123456789.") == std::string_view::npos;
  }
  return false;
}

// "-m MODULE ARG…", "-mMODULE", "-u -X dev SCRIPT ARG…": what stands behind the interpreter.
std::optional<EngineFacts> find_in_python(Words words, Environment env, Limits limits) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view text = words[at].text;
    if (text == "-m" || text == "--module") {
      if (at + 1 >= words.size() || !words[at + 1].known()) return std::nullopt;
      return match_engine(Form::Kind::kModule, words[at + 1].text, words.subspan(at + 2), env);
    }
    if (text.starts_with("-m") && text.size() > 2) {
      return match_engine(Form::Kind::kModule, text.substr(2), words.subspan(at + 1), env);
    }
    if (text == "-c") return std::nullopt;
    if (text == "-X" || text == "-W") {
      ++at;
    } else if (text.empty() || text[0] != '-') {
      return find_engine(words.subspan(at), std::move(env), limits.deeper());
    }
  }
  return std::nullopt;
}

std::optional<EngineFacts> find_in_shell(const ShellCall& call, const Environment& env, Limits limits) {
  const auto steps = follow_shell(call, env);
  if (!steps) return std::nullopt;
  std::optional<EngineFacts> last;
  for (const ShellStep& step : *steps) {
    auto facts = find_engine(step.words, step.env, limits.deeper());
    if (!facts) continue;
    facts->caveats.several_servers = facts->caveats.several_servers || last.has_value();
    last = std::move(facts);
  }
  return last;
}

std::optional<EngineFacts> find_engine(Words words, Environment env, Limits limits) {
  if (limits.depth <= 0 || --*limits.commands < 0) return std::nullopt;
  while (!words.empty() && words[0].certainty == Certainty::kAnyWords) words = words.subspan(1);  // $PREFIX vllm …
  if (words.empty() || !words[0].known()) return std::nullopt;
  const std::string_view program = words[0].text;
  if (program == "-m") return find_in_python(words, std::move(env), limits);  // $PYTHON -m …
  if (auto facts = match_engine(Form::Kind::kProgram, program, words.subspan(1), env)) return facts;
  if (is_python(program)) return find_in_python(words.subspan(1), std::move(env), limits);
  if (const auto call = parse_shell_call(words)) return find_in_shell(*call, env, limits);
  if (is_shell(program) && words.size() > 1) {  // bash /opt/nvidia/nvidia_entrypoint.sh vllm …
    return find_engine(words.subspan(1), std::move(env), limits.deeper());
  }
  if (const auto at = skip_launcher(words, env))
    return find_engine(words.subspan(*at), std::move(env), limits.deeper());
  return std::nullopt;
}

std::vector<Word> to_words(std::span<const std::string> argv) {
  std::vector<Word> words;
  words.reserve(argv.size());
  for (const std::string& text : argv) words.emplace_back(text);
  return words;
}

}  // namespace

std::optional<EngineFacts> recognise(std::span<const std::string> argv, const EnvView& env) {
  if (argv.size() > kMostWords) return std::nullopt;
  int commands = kMostCommands;
  return find_engine(to_words(argv), Environment(env), {kDeepest, &commands});
}

std::optional<EngineFacts> recognise_as(std::string_view engine_id, std::span<const std::string> args,
                                        const EnvView& env) {
  const Dialect* dialect = dialect_of(engine_id);
  if (dialect == nullptr || args.size() > kMostWords) return std::nullopt;
  return read_facts(*dialect, to_words(args), Environment(env));
}

}  // namespace antifreeze::engines
