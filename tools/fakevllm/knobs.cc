#include "fakevllm/knobs.h"

#include <array>

namespace antifreeze::fakevllm {
namespace {

using core::OptionSpec;

constexpr std::array<OptionSpec, 11> kDevice{{
    {"fake-gpu-dir", "DIR", "/run/fake-gpu", "folder of ledgers, journal.jsonl, kmsg and meminfo"},
    {"fake-gpu", "N[,N]", "", "devices to use; else from CUDA_VISIBLE_DEVICES, else 0,1,…"},
    {"fake-gpu-total", "SIZE", "100GiB", "device memory, if the ledger has to be made"},
    {"fake-gpu-unified", "0|1", "1", "one memory for host and device, if the ledger has to be made"},
    {"fake-host-floor", "SIZE", "0",
     "below this much free the driver logs NV_ERR_NO_MEMORY, if the ledger has to be made"},
    {"fake-page-cache", "SIZE", "0", "file pages at the start, if the ledger has to be made"},
    {"fake-release-lag", "DURATION", "0",
     "how long a dead process's memory stays booked, if the ledger has to be made"},
    {"fake-wedge-on-floor", "", "", "falling below the floor wedges the device: who touches it next blocks for ever"},
    {"fake-free-semantics", "available|free", "",
     "mem_get_info counts the page cache as free, or as used; else the ledger says"},
    {"fake-svc", "NAME", "", "service name in the journal; else the model's name"},
    {"fake-state-dir", "DIR", "", "where times=N is counted; else the GPU folder"},
}};

constexpr std::array<OptionSpec, 12> kTime{{
    {"fake-speed", "FACTOR", "1", "all simulated durations are divided by this"},
    {"fake-clock", "FILE", "", "virtual time: the file holds decimal nanoseconds and a test moves it"},
    {"fake-import-ms", "MS", "50", "phase 0"},
    {"fake-load-ms", "MS", "200", "phase 3"},
    {"fake-load-steps", "N", "4", "weights arrive in N equal parts"},
    {"fake-profile-ms", "MS", "100", "phase 4"},
    {"fake-graph-ms", "MS", "50", "phase 6"},
    {"fake-token-ms", "MS", "5", "one generated token"},
    {"fake-watchdog-ms", "MS", "5000", "/health says 503 for this long after the engine died; then the server exits"},
    {"fake-child-grace-ms", "MS", "5000", "from TERM to KILL for the engine processes (real time)"},
    {"fake-tick-ms", "MS", "100",
     "how often an engine frees dead neighbours' memory in the ledger (real time); 0 never"},
    {"fake-wait", "P:FILE,…", "", "enter phase P only once FILE exists"},
}};

constexpr std::array<OptionSpec, 12> kSize{{
    {"fake-ctx", "SIZE", "0.5GiB", "CUDA context, non-torch, phase 2"},
    {"fake-weights", "SIZE", "10GiB", "phase 3"},
    {"fake-peak", "SIZE", "1GiB", "activations of the profile run, phase 4, given back"},
    {"fake-nt", "SIZE", "0.3GiB", "non-torch memory that appears while profiling and stays"},
    {"fake-graph", "SIZE", "0", "CUDA graphs, phase 6"},
    {"fake-graph-est", "SIZE", "", "what the engine sets aside for them when it sizes the cache; else as fake-graph"},
    {"fake-cache-factor", "FACTOR", "1",
     "file pages that loading leaves behind, in parts of the weights (unified memory)"},
    {"fake-kv-per-token", "SIZE", "128KiB", "decides whether one request of --max-model-len fits"},
    {"fake-settle", "PATTERN", "", "memory after ready: +256M@0.5s,-256M@2s, times counted from ready"},
    {"fake-sleep-keep", "FACTOR", "0", "part of torch memory that a sleeping engine keeps"},
    {"fake-real-memory", "SIZE", "0", "memory that the engine really touches; all the rest is only booked"},
    {"fake-leak", "SIZE", "0", "lost on the device with each request"},
}};

constexpr std::array<OptionSpec, 11> kFailure{{
    {"fake-crash", "P[:HOW]…", "",
     "crash in phase P; HOW: exit[=N], signal[=NAME], after_ms=N, times=N, who=parent|engine"},
    {"fake-hang", "P[:times=N]", "", "make no progress from phase P on; TERM still works"},
    {"fake-slow", "P:MS,…", "", "phase P takes that much longer"},
    {"fake-old", "", "", "older vLLM: assertion B is strict and its text speaks of bytes"},
    {"fake-health-lie", "", "", "listen and answer /health with 200 from phase 1 on"},
    {"fake-health-flap", "MS", "", "once ready, /health alternates between 200 and 503 with this half period"},
    {"fake-stuck-engine", "", "", "/health says 200 but no completion ever answers"},
    {"fake-dead-exit", "N", "0", "exit code after the engine died at run time"},
    {"fake-ignore-term", "", "", "parent and engine ignore TERM and INT"},
    {"fake-unclean-exit", "", "", "the parent leaves its engine behind when it stops"},
    {"fake-exit-code", "N", "", "exit code of a normal stop, in place of 0"},
}};

constexpr std::array<OptionSpec, 7> kProcess{{
    {"fake-pdeathsig", "", "", "the engine dies with its parent (vLLM's does not)"},
    {"fake-keep-environ", "", "", "setproctitle leaves /proc/PID/environ of the engine alone (vLLM's wipes it)"},
    {"fake-setsid-child", "HOW", "",
     "double-forked child in its own session: hold=SIZE,port=N,for=DURATION,ignore-term"},
    {"fake-zombies", "N", "0", "orphans that end at once: whoever adopts them must reap them"},
    {"fake-no-reuseport", "", "", "bind without SO_REUSEPORT"},
    {"fake-inherit-port", "", "", "the engine keeps the server's socket open, as after a plain fork"},
    {"fake-journal-requests", "", "", "journal each request and how it ended"},
}};

constexpr std::array<KnobGroup, 5> kGroups{{{"Device and journal", kDevice},
                                            {"Time", kTime},
                                            {"Memory", kSize},
                                            {"Failures", kFailure},
                                            {"Processes and HTTP", kProcess}}};

}  // namespace

std::span<const KnobGroup> knob_groups() { return kGroups; }

std::string knob_environment_name(std::string_view knob) {
  std::string name;
  for (const char c : knob) name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

}  // namespace antifreeze::fakevllm
