// A bundle's config.json: whatever it holds, it is refused, or rewritten into JSON whose command has the gate in front
// and ends as it did before.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "runtime/gate_decide.h"
#include "runtime/spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antifreeze;
  const auto tree = core::JsonTree::parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!tree) return 0;
  const auto spec = runtime::read_spec(*tree);
  if (!spec) return 0;
  for (const auto flavour : {runtime::Flavour::kPlain, runtime::Flavour::kNvidia}) {
    if (runtime::decide_gate(*spec, flavour).reason.empty()) std::abort();
  }
  const auto folder = runtime::mount_folder(*spec, false).value_or("/x");
  const auto changed = runtime::rewrite(*tree, *spec, {folder, "/h/run", "/h/gate", "name", 1});
  if (!changed) std::abort();
  const auto again = core::JsonTree::parse(*changed);
  if (!again) std::abort();
  const auto after = runtime::read_spec(*again);
  if (!after || after->args.size() != spec->args.size() + 2) std::abort();
  if (after->args.back() != spec->args.back() || after->mounts.size() != spec->mounts.size() + 2) std::abort();
  if (after->variable("ANTIFREEZE_PRIORITY") != "1") std::abort();
  return 0;
}
