#include "fakevllm/help.h"

#include "core/options.h"
#include "fakevllm/dialect.h"
#include "fakevllm/knobs.h"

namespace antifreeze::fakevllm {

std::string help_text() {
  std::string out =
      "fakevllm: an inference server without a model, a GPU or Python. It books its memory in a ledger that all\n"
      "servers of one $FAKE_GPU_DIR share, and fails as the real one does when it is disturbed while it sizes itself.\n"
      "\n"
      "  fakevllm serve MODEL [vLLM flags] [knobs]    also: fakevllm --as ENGINE [that engine's flags] [knobs]\n"
      "  fakevllm device init [--dir D] [--gpu N] [--total SIZE] [--unified | --discrete] [--host-floor SIZE]\n"
      "                  [--page-cache SIZE] [--release-lag MS] [--wedge-on-floor] [--free-semantics available|free]\n"
      "                  [--uuid UUID]              makes (or remakes) a device, like a reboot\n"
      "  fakevllm device show [--dir D] [--gpu N] [--json]\n"
      "  fakevllm device hold SIZE [--dir D] [--gpu N] [--for DURATION] [--svc NAME]   a co-tenant\n"
      "  fakevllm device cache SIZE [--dir D]         sets the page cache\n"
      "  fakevllm device watch [--dir D] [--gpu N] [--every MS]   frees dead processes' memory as it happens\n"
      "  fakevllm child [--hold SIZE] [--port N] [--for DURATION] [--ignore-term] [--setsid] [--zombies N]\n"
      "                 [--exit CODE | --signal NAME] a misbehaving payload for tests of PID 1\n"
      "\n"
      "A symbolic link decides which engine is played:\n";
  for (const auto& dialect : dialects()) {
    std::string names(dialect.programs);
    for (auto& c : names) c = c == '|' ? ',' : c;
    out += "  --as " + std::string(dialect.name) + std::string(12 - dialect.name.size(), ' ') + names;
    if (!dialect.module.empty()) out += ", python -m " + std::string(dialect.module);
    out += " (port " + std::to_string(dialect.port) + ")\n";
  }
  out +=
      "\nPhases P: 0 import, 1 bind, 2 init_device, 3 load, 4 profile, 5 kv, 6 capture, 7 serve; numbers or names.\n"
      "Every knob has an environment twin: --fake-load-ms is FAKE_LOAD_MS. Sizes: 20GiB, 256M, 4096B. MS: 250 or 2s.\n";
  for (const auto& group : knob_groups()) {
    out += "\n" + std::string(group.title) + ":\n" + core::options_help(group.knobs);
  }
  return out;
}

}  // namespace antifreeze::fakevllm
