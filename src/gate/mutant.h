// Deliberate breaks of single rules, to prove that the tests notice them. In everything that ships this is constexpr
// false and leaves no code behind; only antifreeze-run-mutants is built with ANTIFREEZE_MUTANTS.
#pragma once

#include <string_view>

namespace antifreeze::gate {

#ifdef ANTIFREEZE_MUTANTS
/// Set once at start from ANTIFREEZE_MUTANT.
inline std::string_view active_mutant;
inline bool mutant(std::string_view name) { return active_mutant == name; }
#else
constexpr bool mutant(std::string_view) { return false; }
#endif

}  // namespace antifreeze::gate
