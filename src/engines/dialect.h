// One engine: how its command lines look, and what its defaults are. The rows are in table.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engines/args.h"
#include "engines/environment.h"
#include "engines/facts.h"

namespace antifreeze::engines {

/// One way to start an engine.
struct Form {
  enum class Kind { kProgram, kModule };
  Kind kind = Kind::kProgram;
  /// A program's file name; with a '/' inside, the end of its path; with one in front, its whole path. A module's name.
  std::string_view name;
  std::string_view subcommands = "";  ///< words that must follow, "serve api_server"; "!x" = x must not follow
  /// The name alone proves nothing (main.py): the dialect's `confirms` has to agree.
  bool needs_proof = false;
};

/// A row of the table.
struct Dialect {
  std::string_view id;
  std::span<const Form> forms;
  std::span<const Flag> flags;
  Grammar grammar = Grammar::kExact;
  std::uint16_t default_port = 0;
  std::string_view default_host = "";  ///< "" = all addresses
  std::string_view health_path = "/health";
  std::span<const int> ready_statuses;
  std::span<const int> loading_statuses = {};
  Caveats caveats = {};
  /// What a share of this engine is a share of, and what it takes when nothing is said; nullopt: it has no such
  /// setting. The value is that of current versions; a later column can make it depend on the version.
  std::optional<Share> default_share = std::nullopt;
  /// Fills in what the arguments and the environment say, over the defaults above.
  void (*read)(const ParsedArgs& args, const Environment& env, EngineFacts& facts) = nullptr;
  bool (*confirms)(const ParsedArgs& args, const Environment& env) = nullptr;
};

/// Defaults of the row, then what the words say.
EngineFacts read_facts(const Dialect& dialect, std::span<const Word> args, const Environment& env);

// What several dialects do alike.

/// The option's value, else the environment variable's (nullptr: none such); nullopt when neither is there.
std::optional<Word> setting(const ParsedArgs& args, int key, const Environment& env, const char* variable);
/// Takes over a port. 0 means that the kernel picks one; that, an unknown and an impossible one leave it absent.
void set_port(const std::optional<Word>& word, bool certain, EngineFacts& facts);
/// Takes over an address to bind to; "" and the all-zero ones become absent.
void set_host(const std::optional<Word>& word, EngineFacts& facts);
/// Port and address from options and their environment twins.
void read_port_and_host(const ParsedArgs& args, const Environment& env, int port_key, const char* port_variable,
                        int host_key, const char* host_variable, EngineFacts& facts);
/// A share stated by `key`, else the default that is already in `facts` unless something may hide behind it.
void read_share(const ParsedArgs& args, int key, EngineFacts& facts);
/// Makes the share unknown.
void forget_share(std::string_view why, EngineFacts& facts);
/// A whole number 1 … 1,024 from an option; 1 when it is not given; nullopt when it cannot be read.
std::optional<unsigned> count_of(const ParsedArgs& args, int key);
/// The text of a known, non-empty word.
std::optional<std::string> text_of(const Word* word);

}  // namespace antifreeze::engines
