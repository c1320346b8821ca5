// antifreeze-run: static, so that it works as PID 1 in any image.
#include <string_view>
#include <vector>

#include "gate/mutant.h"
#include "run/run.h"

#ifdef ANTIFREEZE_MUTANTS
#include <cstdlib>
#endif

int main(int argc, char** argv, char** environment) {
#ifdef ANTIFREEZE_MUTANTS
  if (const char* name = std::getenv("ANTIFREEZE_MUTANT")) antifreeze::gate::active_mutant = name;
#endif
  const std::vector<std::string_view> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return antifreeze::run::run_main(args, environment, "antifreeze-run");
}
