// What the caller (containerd's shim) asks of an OCI runtime: the few words that matter to us.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace antifreeze::runtime {

/// `create` as it was called.
struct CreateCall {
  std::string bundle;  ///< as given; "." when it was not
  std::string id;      ///< the container's
};

/// nullopt for every other subcommand, and for words that cannot be read for certain: those are handed on untouched.
/// `args` are without the program's name. Grammar: `runc [global options] create [options] ID`.
std::optional<CreateCall> read_create(std::span<const std::string_view> args);

enum class Flavour { kPlain, kNvidia };

/// By the name that the program was called by: "…nvidia…" stands in front of nvidia-container-runtime.
Flavour flavour_of(std::string_view program);

}  // namespace antifreeze::runtime
