#include "engines/launchers.h"

#include <algorithm>
#include <array>

#include "core/text.h"

namespace antifreeze::engines {
namespace {

struct Launcher {
  std::string_view name;
  std::string_view value_options = "";  ///< those whose value is a word of its own, blank-separated
  int operands = 0;                     ///< words of its own in front of the command
  std::string_view subcommand = "";     ///< must come first, after options
  bool assignments = false;             ///< NAME=value in front of the command
};

constexpr std::array kLaunchers = std::to_array<Launcher>({
    {.name = "exec", .value_options = "-a"},
    {.name = "command"},
    {.name = "nohup"},
    {.name = "time", .value_options = "-f -o --format --output"},
    {.name = "env", .value_options = "-u --unset -C --chdir", .assignments = true},
    {.name = "nice", .value_options = "-n --adjustment"},
    {.name = "ionice", .value_options = "-c --class -n --classdata"},
    {.name = "chrt", .value_options = "-T -P -D", .operands = 1},
    {.name = "taskset", .operands = 1},
    {.name = "numactl",
     .value_options = "-i --interleave -w --weighted-interleave -N --cpunodebind -C --physcpubind -m --membind -p "
                      "--preferred -P --preferred-many"},
    {.name = "stdbuf", .value_options = "-i -o -e --input --output --error"},
    {.name = "setsid"},
    {.name = "timeout", .value_options = "-k --kill-after -s --signal", .operands = 1},
    {.name = "prlimit"},
    {.name = "setpriv",
     .value_options = "--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig"},
    {.name = "sudo", .value_options = "-u --user -g --group -h --host -p -C -D -R -T -r -t", .assignments = true},
    {.name = "runuser", .value_options = "-u --user -g --group -G --supp-group -w"},
    {.name = "su-exec", .operands = 1},
    {.name = "gosu", .operands = 1},
    {.name = "chpst", .value_options = "-u -U -e -/ -n -l -L -m -d -o -p -f -c -t -r"},
    {.name = "s6-setuidgid", .operands = 1},
    {.name = "s6-envdir", .operands = 1},
    {.name = "with-contenv"},
    {.name = "tini", .value_options = "-e -p"},
    {.name = "tini-static", .value_options = "-e -p"},
    {.name = "docker-init", .value_options = "-e -p"},
    {.name = "dumb-init", .value_options = "-r --rewrite"},
    {.name = "catatonit"},
    {.name = "uv",
     .value_options = "--with --with-editable --with-requirements --extra --group --only-group --no-extra --no-group "
                      "-p --python --directory --project --env-file --index --index-url --extra-index-url --prerelease "
                      "--index-strategy --config-file --package --cache-dir",
     .subcommand = "run"},
    {.name = "uvx", .value_options = "--from --with -p --python --index-url --extra-index-url"},
    {.name = "conda", .value_options = "-n --name -p --prefix --cwd", .subcommand = "run"},
    {.name = "mamba", .value_options = "-n --name -p --prefix --cwd", .subcommand = "run"},
    {.name = "micromamba", .value_options = "-n --name -p --prefix --cwd -r --root-prefix", .subcommand = "run"},
    {.name = "poetry", .value_options = "-C --directory -P --project", .subcommand = "run"},
    {.name = "pipenv", .subcommand = "run"},
    {.name = "pdm", .value_options = "-p --project", .subcommand = "run"},
    {.name = "pixi", .value_options = "-e --environment --manifest-path", .subcommand = "run"},
    {.name = "hatch", .value_options = "-e --env", .subcommand = "run"},
    {.name = "mpirun",
     .value_options = "-n -np -c -N --npernode -x -H --host --hostfile -hostfile --map-by --bind-to --rank-by -wdir"},
    {.name = "mpiexec", .value_options = "-n -np -c -N -x -H --host --hostfile --map-by --bind-to"},
    {.name = "ddtrace-run"},
    {.name = "trtllm-llmapi-launch"},
    {.name = "nvidia_entrypoint.sh"},
    {.name = "docker-entrypoint.sh"},
    {.name = "entrypoint.sh"},
    {.name = "antifreeze-run"},
    {.name = "antifreeze", .subcommand = "run"},
});

const Launcher* find_launcher(std::string_view name) {
  const auto it = std::find_if(kLaunchers.begin(), kLaunchers.end(), [&](const Launcher& l) { return l.name == name; });
  return it != kLaunchers.end() ? &*it : nullptr;
}

bool lists(std::string_view options, std::string_view option) {
  const auto all = core::split_words(options);
  return std::find(all.begin(), all.end(), option) != all.end();
}

// Our own options are too many to list twice; the command always stands behind "--".
bool ends_at_dashes(const Launcher& launcher) { return launcher.name.starts_with("antifreeze"); }

std::optional<std::size_t> behind_dashes(std::span<const Word> words) {
  const auto it = std::find_if(words.begin(), words.end(), [](const Word& word) { return word.text == "--"; });
  if (it == words.end() || it + 1 == words.end()) return std::nullopt;
  return static_cast<std::size_t>(it - words.begin()) + 1;
}

void apply_env_option(std::span<const Word> words, std::size_t at, Environment& env) {
  const std::string_view text = words[at].text;
  if (text == "-i" || text == "-" || text == "--ignore-environment") env.clear();
  if ((text == "-u" || text == "--unset") && at + 1 < words.size()) env.unset(words[at + 1].text);
  if (text.starts_with("--unset=")) env.unset(text.substr(8));
}

}  // namespace

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::optional<std::size_t> skip_launcher(std::span<const Word> words, Environment& env) {
  if (words.empty() || !words[0].known()) return std::nullopt;
  const Launcher* launcher = find_launcher(base_name(words[0].text));
  if (launcher == nullptr) return std::nullopt;
  if (ends_at_dashes(*launcher)) return behind_dashes(words);

  bool subcommand_seen = launcher->subcommand.empty();
  int operands = launcher->operands;
  std::size_t at = 1;
  for (; at < words.size(); ++at) {
    const std::string& text = words[at].text;
    if (text == "--" && words[at].known()) {
      if (subcommand_seen && operands == 0) return at + 1 < words.size() ? std::optional(at + 1) : std::nullopt;
      continue;
    }
    if (launcher->name == "uv" && subcommand_seen && (text == "-m" || text == "--module")) return at;
    if (!text.empty() && text[0] == '-') {
      if (launcher->assignments) apply_env_option(words, at, env);
      if (lists(launcher->value_options, text)) ++at;
      if (text == "--mca" || text == "-mca") at += 2;
      continue;
    }
    if (!subcommand_seen) {
      if (text != launcher->subcommand) return std::nullopt;
      subcommand_seen = true;
      continue;
    }
    if (operands > 0) {
      --operands;
      continue;
    }
    const std::size_t equals = launcher->assignments ? assignment_at(text) : 0;
    if (equals == 0) return at;
    env.set(std::string_view(text).substr(0, equals), Word(text.substr(equals + 1), words[at].certainty));
  }
  return std::nullopt;
}

}  // namespace antifreeze::engines
