// The options of antifreeze-run and `antifreeze run`: one line each; parsing, environment twins, help, the man page and
// completions come from here.
#pragma once

#include <array>

#include "core/options.h"

namespace antifreeze::run {

inline constexpr std::array kRunOptions{
    core::OptionSpec{"name", "NAME", "", "the service's name; the breaker, the log and the queue know it by this"},
    core::OptionSpec{"priority", "-10..10", "0", "higher starts first; one step is worth a minute of earlier arrival"},
    core::OptionSpec{"domain", "host|gpu[:UUID,…]", "host",
                     "what must not start together: everything on the host, or what shares a GPU"},
    core::OptionSpec{
        "ready", "HOW", "auto",
        "when it is up: auto (known engines), http:URL, tcp:PORT, uds:PATH, cmd:ARGV, notify, log:REGEX, none"},
    core::OptionSpec{"preload", "MODEL", "", "Ollama: load MODEL once it answers, while the gate is held"},
    core::OptionSpec{"settle", "auto|DURATION", "auto", "after ready, hold on until memory is stable, or this long"},
    core::OptionSpec{"settle-floor", "DURATION", "3s", "settle: memory must have been stable for this long"},
    core::OptionSpec{"settle-cap", "DURATION", "30s", "settle: no longer than this"},
    core::OptionSpec{"gather", "DURATION", "500ms, 3s at boot",
                     "wait this long after arrival, so that a mass restart is ordered by priority"},
    core::OptionSpec{"start-timeout", "DURATION", "15m", "hard cap from exec to ready; 0 for none"},
    core::OptionSpec{"stall-timeout", "DURATION", "5m",
                     "no CPU, I/O or memory progress for this long is a stall; 0 = off"},
    core::OptionSpec{"on-timeout", "release|kill", "release",
                     "after a time-out: let the others go on, or end this start"},
    core::OptionSpec{"hold-until-exit", "", "", "hold the gate until the command ends (training, image generation)"},
    core::OptionSpec{"wait-timeout", "DURATION", "0", "longest time in the queue; 0 = for ever"},
    core::OptionSpec{"on-wait-timeout", "fail|proceed", "fail", "after that: exit 125, or start without the gate"},
    core::OptionSpec{"reserve", "SIZE", "2GiB", "memory that must stay free beside the share that the command states"},
    core::OptionSpec{"on-short", "wait|start", "wait",
                     "when the stated share does not fit: wait (held at once if it never can), or start all the same"},
    core::OptionSpec{"short-timeout", "DURATION", "10m", "after waiting this long for memory the service is held"},
    core::OptionSpec{"max-failures", "N", "5",
                     "so many failed starts in the window and the service is held; 0 = never"},
    core::OptionSpec{"failure-window", "DURATION", "30m", "the window for --max-failures"},
    core::OptionSpec{"held-for", "DURATION", "",
                     "try again by itself after this long; else 'antifreeze gate reset NAME'"},
    core::OptionSpec{"backoff", "DURATION", "10s", "delay after the first failed start, doubling to 300s"},
    core::OptionSpec{"healthy-after", "DURATION", "10m", "failed starts are forgotten after this long in good health"},
    core::OptionSpec{"always", "", "", "start also in safe boot, after repeated unclean boots"},
    core::OptionSpec{"grace", "DURATION", "10s", "asked to stop while starting: TERM, and KILL after this long"},
    core::OptionSpec{"reclaim-floor", "DURATION", "3s", "after a holder died: memory must be stable for this long"},
    core::OptionSpec{"reclaim-cap", "DURATION", "60s", "after a holder died: wait no longer than this"},
    core::OptionSpec{"gate-dir", "DIR", "/run/antifreeze/gate",
                     "the gate directory; one given by hand is made when missing, and named then"},
    core::OptionSpec{"on-gate-error", "fail|proceed", "fail", "the gate cannot be used: exit 125, or start without it"},
    core::OptionSpec{"meminfo", "FILE", "/proc/meminfo",
                     "where to read memory from (a simulation, or a host agent's file)"},
    core::OptionSpec{"quiet", "", "", "say only what a person must know", 'q'},
    core::OptionSpec{"version", "", "", "print the version", 'V'},
    core::OptionSpec{"help", "", "", "print this help", 'h'},
};

}  // namespace antifreeze::run
