// A command line, words apart by LF; lines in front of an empty one are environment variables. What comes out must hold
// together, and no script may make it slow or large.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "engines/recognise.h"
#include "engines/table.h"

namespace {

using antifreeze::engines::EngineFacts;
using antifreeze::engines::ShareKind;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const EngineFacts& facts) {
  require(antifreeze::engines::dialect_of(facts.id) != nullptr);
  require(!facts.port || *facts.port != 0);
  require(!facts.uds || !facts.port);
  require(facts.port || !facts.port_stated || facts.uds || facts.id == "ollama" || facts.caveats.no_server);
  require(facts.share.has_value() == facts.share_unknown.empty());
  require(!facts.gpus || (*facts.gpus >= 1 && *facts.gpus <= 65536));
  if (!facts.share) return;
  require(!facts.share->stated || facts.share->value.has_value());
  if (facts.share->value && facts.share->kind != ShareKind::kBytes) {
    require(*facts.share->value > 0 && *facts.share->value <= 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antifreeze::engines;
  std::vector<std::string> environment, argv;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string>* into = &environment;
  if (text.find("\n\n") == std::string_view::npos) into = &argv;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.empty() && into == &environment) {
      into = &argv;
    } else {
      // Scripts need line feeds of their own.
      std::string word(line);
      for (char& c : word) c = c == '\v' ? '\n' : c;
      into->push_back(std::move(word));
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  const EnvView env = [&](std::string_view name) -> std::optional<std::string_view> {
    for (const std::string& entry : environment) {
      if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
        return std::string_view(entry).substr(name.size() + 1);
      }
    }
    return std::nullopt;
  };
  if (const auto facts = recognise(argv, env)) check(*facts);
  for (const Dialect* dialect : all_dialects()) check(*recognise_as(dialect->id, argv, env));
  return 0;
}
