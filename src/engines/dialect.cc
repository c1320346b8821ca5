#include "engines/dialect.h"

#include "core/text.h"

namespace antifreeze::engines {

std::string_view name_of(ShareKind kind) {
  switch (kind) {
    case ShareKind::kTotal:
      return "total";
    case ShareKind::kFreeBefore:
      return "free_before";
    case ShareKind::kFreeAfter:
      return "free_after";
    case ShareKind::kBytes:
      return "bytes";
  }
  return "unknown";
}

EngineFacts read_facts(const Dialect& dialect, std::span<const Word> words, const Environment& env) {
  EngineFacts facts;
  facts.id = dialect.id;
  facts.port = dialect.default_port;
  if (!dialect.default_host.empty()) facts.host = std::string(dialect.default_host);
  facts.health = {std::string(dialect.health_path), dialect.ready_statuses, dialect.loading_statuses};
  facts.caveats = dialect.caveats;
  facts.share = dialect.default_share;
  if (!facts.share) facts.share_unknown = "this engine has no setting for its share";
  dialect.read(ParsedArgs(words, dialect.flags, dialect.grammar), env, facts);
  return facts;
}

std::optional<Word> setting(const ParsedArgs& args, int key, const Environment& env, const char* variable) {
  if (args.has(key)) {
    const Word* value = args.value(key);
    return value != nullptr ? *value : Word("", Certainty::kOneWord);
  }
  return variable != nullptr ? env.get(variable) : std::nullopt;
}

void set_port(const std::optional<Word>& word, bool certain, EngineFacts& facts) {
  if (!word) return;
  facts.port.reset();
  if (!word->known()) return;
  const auto port = core::parse_uint(core::trim(word->text));
  if (!port || *port == 0 || *port > 65535) return;
  facts.port = static_cast<std::uint16_t>(*port);
  facts.port_stated = certain;
}

void set_host(const std::optional<Word>& word, EngineFacts& facts) {
  if (!word) return;
  facts.host.reset();
  if (!word->known()) return;
  std::string_view text = core::trim(word->text);
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  if (!text.empty() && text != "0.0.0.0" && text != "::" && text != "0") facts.host = std::string(text);
}

void read_port_and_host(const ParsedArgs& args, const Environment& env, int port_key, const char* port_variable,
                        int host_key, const char* host_variable, EngineFacts& facts) {
  set_port(setting(args, port_key, env, port_variable), !args.may_be_overridden(port_key), facts);
  set_host(setting(args, host_key, env, host_variable), facts);
}

void read_share(const ParsedArgs& args, int key, EngineFacts& facts) {
  if (args.may_be_overridden(key)) return forget_share("the command line holds variables", facts);
  if (!args.has(key)) return;
  const Word* word = args.value(key);
  if (word == nullptr || !word->known()) return forget_share("its value cannot be read", facts);
  const auto value = core::parse_decimal(core::trim(word->text));
  if (!value || *value <= 0 || *value > 1) return forget_share("its value is no fraction", facts);
  if (!facts.share) return;
  facts.share->value = value;
  facts.share->stated = true;
}

void forget_share(std::string_view why, EngineFacts& facts) {
  facts.share.reset();
  facts.share_unknown = why;
}

std::optional<unsigned> count_of(const ParsedArgs& args, int key) {
  constexpr std::uint64_t kMost = 1024;
  if (args.may_be_overridden(key)) return std::nullopt;
  if (!args.has(key)) return 1;
  const Word* word = args.value(key);
  if (word == nullptr || !word->known()) return std::nullopt;
  const auto count = core::parse_uint(core::trim(word->text));
  if (!count || *count == 0 || *count > kMost) return std::nullopt;
  return static_cast<unsigned>(*count);
}

std::optional<std::string> text_of(const Word* word) {
  if (word == nullptr || !word->known() || word->text.empty()) return std::nullopt;
  return word->text;
}

}  // namespace antifreeze::engines
