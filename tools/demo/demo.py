"""Five simulated inference servers on one machine are restarted at once: first without the gate, then with it. Then three
machines that froze, captured in a virtual machine, and this one: how their boots ended.

Needs no GPU and no root, changes nothing on the machine, and takes about a quarter of a minute. The exit code is 0 only if
the start without the gate went wrong in some way, and with the gate all five came up one after the other.
"""

import argparse
import os
import pathlib
import signal
import sys
import textwrap

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import autopsies  # noqa: E402
import chart  # noqa: E402
import scenes  # noqa: E402
from lib import proc  # noqa: E402
from scenes import GIB, PLANS, TOTAL_GIB, Outcome, Round  # noqa: E402

WIDTH = 80
TRIES = 3


def wants_colour(stream, environment) -> bool:
    """Colour is for terminals, and for nobody who said NO_COLOR (no-color.org)."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def say(text: str = "", indent: str = "") -> None:
    print(textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent) if text else "", flush=True)


def gib(size: int | None) -> str:
    return "none" if size is None else f"{max(size, 0) / GIB:.1f} GiB"


def introduce() -> None:
    say(f"One machine, {TOTAL_GIB} GiB of memory that CPU and GPU share, five inference servers. Each is told its share, "
        "loads its model, and makes what is left of the share its KV cache: the memory for running requests. "
        "(The servers are simulated, and about thirty times as fast as real ones.)")
    say()
    for plan in PLANS:
        say(f"{plan.name:<10} {plan.what:<24} share {plan.share_gib():5.1f} GiB = {plan.util:.0%}, "
            f"weights {plan.weights_gib:g} GiB", "  ")
    say()
    say("The shares fit: together they take " + f"{sum(plan.util for plan in PLANS):.0%} of the memory.")


def tell(outcome: Outcome) -> None:
    """One line for what has just become of a server."""
    if outcome.error:
        text = f'FAILED "{outcome.error}"'
        at = outcome.spans[-1][0] if outcome.spans else 0
    else:
        text = f"up, KV cache {gib(outcome.got)}"
        if outcome.missized():
            text += f", not {outcome.wanted / GIB:.1f}: mis-sized, without any error"
        at = outcome.up_at
    print(textwrap.fill(f"  {at:5.1f} s  {outcome.name:<10} {text}", WIDTH, subsequent_indent=" " * 22), flush=True)


def without_gate(seed: int, record: pathlib.Path | None) -> tuple[Round, int]:
    """A round in which something went wrong, if one of a few has it; and the seed that it took."""
    for this in range(seed, seed + TRIES):
        played = scenes.play(this, False, tell, record / "without" if record else None)
        if played.collided():
            return played, this
        say("By luck they did not disturb each other this time. Once more.")
    return played, this


def table(without: Round, with_gate: Round) -> list[str]:
    lines = [f"{'KV cache':<10} {'alone':>10}  {'without the gate':>16}   {'with the gate':>13}  {'start took':>10}"]
    for left, right in zip(without.outcomes, with_gate.outcomes):
        got = "failed" if not left.came_up() else gib(left.got)
        share = f" ({left.got / left.wanted:.0%})" if left.came_up() and left.got is not None else ""
        took = f"{right.took():.1f} s" if right.took() else ""
        lines.append(f"{left.name:<10} {gib(left.wanted):>10}  {got + share:>16}   "
                     f"{gib(right.got) if right.came_up() else 'failed':>13}  {took:>10}")
    return lines


def summary(without: Round, with_gate: Round) -> list[str]:
    """Four lines for who reads nothing else."""
    def came_up(played: Round) -> list[Outcome]:
        return [outcome for outcome in played.outcomes if outcome.came_up()]

    def missized(played: Round) -> str:
        found = [outcome for outcome in played.outcomes if outcome.missized()]
        if len(found) == 1:
            return f"{found[0].name} ({found[0].got / GIB:.1f} of {gib(found[0].wanted)} KV cache)"
        return ", ".join(outcome.name for outcome in found) or "none"
    count, up = len(PLANS), came_up(with_gate)
    last = max((outcome.up_at for outcome in up), default=0)
    apart = "one after the other" if not with_gate.problem else "not one after the other"
    return [
        f"Without the gate {len(came_up(without))} of {count} came up; with it {len(up)} of {count}, {apart}, in {last:.1f} s.",
        f"Mis-sized without the gate: {missized(without)}; with it: {missized(with_gate)}.",
        "Took: " + ", ".join(f"{outcome.name} {outcome.took():.1f} s" for outcome in up) + ".",
        'Next: put it in front of your own servers: README.md, "Putting it in front".',
    ]


def show(without: Round, with_gate: Round, style: chart.Style) -> None:
    names = [plan.name for plan in PLANS]
    seconds = max([outcome.up_at or 0 for played in (without, with_gate) for outcome in played.outcomes]) * 1.08
    left, right = ({outcome.name: outcome.spans for outcome in played.outcomes} for played in (without, with_gate))
    say()
    print("\n".join(chart.draw(names, left, right, ("without the gate: all at once", "with the gate: one by one"), seconds, style)))
    say()
    print("\n".join(table(without, with_gate)))


def run(seed: int, record: pathlib.Path | None, style: chart.Style) -> int:
    introduce()
    say()
    say(style.strong("1. Without the gate: all five are started at once, as after a reboot"))
    without, seed = without_gate(seed, record)
    say()
    say("Each measures its share while the others are taking memory too, and takes their memory for its own.")
    say()
    say(style.strong("2. With the gate: the same five at once, antifreeze-run in front of each"))
    with_gate = scenes.play(seed, True, tell, record / "with" if record else None)
    show(without, with_gate, style)
    say()
    say(style.strong("3. When a machine froze all the same: what its journal says"))
    show_autopsies()
    say()
    for line in summary(without, with_gate):
        print(textwrap.fill(line, WIDTH, subsequent_indent="  "))
    return verdict(without, with_gate)


def show_autopsies() -> None:
    """Three captured machines, then this one."""
    def lines(texts: list[str]) -> None:
        for text in texts:
            print("    " + textwrap.shorten(text, WIDTH - 4, placeholder=" …"), flush=True)
    for story, found in autopsies.captured():
        say(f"What was done: {story}. What antifreeze autopsy finds:", "  ")
        lines(found)
    own = autopsies.this_machine()
    if own is None:
        say("This machine has no journal to read; one that has: antifreeze autopsy", "  ")
    else:
        say("This machine's own journal (the whole story: build/bin/antifreeze autopsy):", "  ")
        lines(own)


def verdict(without: Round, with_gate: Round) -> int:
    """The exit code; says why when it is not 0."""
    if not without.collided():
        say(f"The demo failed: in {TRIES} rounds without the gate nothing went wrong, so there is nothing to compare.")
        return 1
    if not with_gate.all_right():
        say("The demo failed: with the gate " + (with_gate.problem or "not all five came up with the cache they should have."))
        return 1
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="varies who loads how long")
    parser.add_argument("--ascii", action="store_true", help="plain characters only")
    parser.add_argument("--record", type=pathlib.Path, metavar="DIR", help="keep the journals and the servers' output here")
    args = parser.parse_args()
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    style = chart.Style(colour=wants_colour(sys.stdout, os.environ), unicode=utf8 and not args.ascii)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    proc.become_subreaper()
    try:
        for name in ("antifreeze", "antifreeze-run", "fakevllm"):
            proc.program(name)
        return run(args.seed, args.record, style)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except (proc.TooLate, autopsies.CannotTell, AssertionError) as error:
        print(f"the demo broke off: {error}", file=sys.stderr)
        return 1
    finally:
        proc.sweep()


if __name__ == "__main__":
    sys.exit(main())
