"""The rounds find every broken rule. antifreeze-run-mutants is the same code with one rule switched off.

Each mutant plays rounds until the oracle sees a violation: it must, within a bounded number. The same rounds with
antifreeze-run must show none, or the oracle would see ghosts.
"""

import functools
import random
import time

import pytest

from lib import oracle, proc, rounds
from lib.world import MS, ServerEnded, World

ROUNDS = 12


class Scene:
    """A machine for one round, with the program to test in all wrappers."""

    def __init__(self, wrapper: str, env: dict, gate: dict, **device):
        self.world = World(**device)
        self._common = (wrapper, env, gate)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.world.close()

    def server(self, name: str, **options):
        wrapper, env, gate = self._common
        server = self.world.server(name, **options)
        server.wrapper = wrapper
        server.env |= env
        server.gate |= gate
        return server


def arrivals_during_a_grant(seed: int, wrapper: str, env: dict) -> None:
    """Better ones arrive while others are being granted: without a gather window nothing else keeps them apart."""
    rng = random.Random(seed)
    with Scene(wrapper, env, {"gather": "0s"}) as scene:
        servers = [scene.server(f"s{index}", priority=index, fake={"import-ms": 1}) for index in range(4)]
        for server in servers:
            scene.world.start(server)
            time.sleep(rng.uniform(0, 0.02))
        scene.world.until_ready()
        oracle.check_windows(scene.world.attempts(), 0)


def restart_of_four(seed: int, wrapper: str, env: dict) -> None:
    """A small storm whose settle time is longer than any hand-over takes on a busy machine."""
    with Scene(wrapper, env, {"settle": "400ms"}) as scene:
        for index in range(4):
            scene.world.start(scene.server(f"s{index}", priority=seed * index % 3, fake={"import-ms": 1}))
        scene.world.until_ready()
        oracle.check_windows(scene.world.attempts(), 400 * MS)


def holder_killed(namespace: bool, seed: int, wrapper: str, env: dict) -> None:
    """The holder dies in the middle of its start, alone or with its whole PID namespace, whose memory comes back late.

    The load outlasts the cap of reclaiming: what then still runs has been left behind.
    """
    with Scene(wrapper, env, {"reclaim-floor": "400ms", "reclaim-cap": "1s"}, release_lag="60") as scene:
        world = scene.world
        a = scene.server("A", priority=1, fake={"load-ms": 6000, "load-steps": 60, "child-grace-ms": 2000})
        others = [scene.server(f"s{index}", fake={"import-ms": 1}) for index in range(3)]
        if namespace:
            a.prefix = ["unshare", "-pf", "--mount-proc", "--kill-child"]
        for server in world.servers:
            world.start(server)
        world.until_phase(a, "load")
        front = proc.children_map()[a.process.pid][0] if namespace else a.process.pid
        victim = rounds.FRONT if namespace or seed % 2 == 0 else rounds.KEEPER
        proc.kill(rounds.find_tree(front)[victim])
        world.until_ready(others)
        oracle.check_windows(world.attempts(), 0)


SCENES = {
    "no_registry_lock": arrivals_during_a_grant,
    "early_release": restart_of_four,
    "no_settle": restart_of_four,
    "no_wreck": functools.partial(holder_killed, True),
    "no_keeper": functools.partial(holder_killed, False),
}


@pytest.mark.parametrize("mutant", SCENES)
def test_a_broken_rule_is_noticed(mutant):
    for seed in range(1, ROUNDS + 1):
        try:
            SCENES[mutant](seed, "antifreeze-run-mutants", {"ANTIFREEZE_MUTANT": mutant})
        except (oracle.Violation, ServerEnded) as seen:
            print(f"{mutant}: noticed in round {seed}: {str(seen).splitlines()[0]}")
            return
    pytest.fail(f"{ROUNDS} rounds without {mutant}, and nothing was noticed")


@pytest.mark.parametrize("mutant", SCENES)
@pytest.mark.parametrize("seed", range(1, 4))
def test_the_same_scene_with_all_rules_is_clean(mutant, seed):
    SCENES[mutant](seed, "antifreeze-run", {})


@pytest.mark.parametrize("mutant", SCENES)
def test_the_mutants_program_without_a_mutation_is_clean(mutant):
    SCENES[mutant](1, "antifreeze-run-mutants", {})
