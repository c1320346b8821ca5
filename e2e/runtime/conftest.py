"""A real Docker engine whose daemon.json names the shim, and machines whose servers are gated by it."""

import json
import os
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "docker"))

import dockerd  # noqa: E402
import rootfs  # noqa: E402
from lib import proc  # noqa: E402

DOCKER_TESTS = pathlib.Path(__file__).resolve().parents[1] / "docker" / "conftest.py"
GPU_ENV = {"NVIDIA_VISIBLE_DEVICES": "all"}
# The nvidia runtime is not packaged by Debian: this one notes how it was called and becomes runc.
FAKE_NVIDIA = """#!/bin/sh
echo "$@" >>{calls}
exec runc "$@"
"""


def _load_site():
    """The Site of e2e/docker: its conftest cannot be imported by name while this one is loaded."""
    import importlib.util
    spec = importlib.util.spec_from_file_location("docker_conftest", DOCKER_TESTS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


docker_conftest = _load_site()


class ShimEngine(dockerd.Engine):
    """The engine with the two runtimes in its daemon.json, as `antifreeze runtime install` leaves it."""

    def __init__(self):
        super().__init__()
        self.shim_dir = self.dir / "shim"
        self.shim_dir.mkdir()
        self.nvidia_calls = self.dir / "nvidia-calls"
        nvidia = self.dir / "nvidia-container-runtime"
        nvidia.write_text(FAKE_NVIDIA.format(calls=self.nvidia_calls))
        nvidia.chmod(0o755)
        self.settings = {"nvidia": str(nvidia), "config": str(self.dir / "antifreeze.toml"),
                         "log-socket": str(self.dir / "log")}
        self.install_by_hand()

    def install_by_hand(self) -> None:
        for name in ("antifreeze-runtime", "antifreeze-run"):
            shutil.copy2(proc.program(name), self.shim_dir / f"{name}.new")
            (self.shim_dir / f"{name}.new").rename(self.shim_dir / name)
        link = self.shim_dir / "antifreeze-runtime-nvidia"
        if not link.is_symlink():
            link.symlink_to("antifreeze-runtime")
        self.configure()
        self.daemon_json.write_text(json.dumps({"runtimes": {
            "antifreeze": {"path": str(self.shim_dir / "antifreeze-runtime")},
            "antifreeze-nvidia": {"path": str(self.shim_dir / "antifreeze-runtime-nvidia")}}}))

    def configure(self, **more) -> None:
        self.settings.update(more)
        (self.shim_dir / "settings").write_text("".join(f"{key}={value}\n" for key, value in self.settings.items()))

    def log(self) -> list[dict]:
        path = self.shim_dir / "runtime.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class ShimSite(docker_conftest.Site):
    """Servers whose command is the bare server's: the shim does the rest."""

    def __init__(self, engine: ShimEngine, order: list[str] | None = None, **device):
        super().__init__(engine, **device)
        engine.configure(**{"gate-dir": self.gate_dir})
        lines = ["[gate.priorities]"] + [f'"{name}" = {value}' for name, value in (order or {}).items()]
        pathlib.Path(engine.settings["config"]).write_text("\n".join(lines) + "\n")

    def server(self, name, image, runtime="antifreeze", env=None, **options):
        environment = {**GPU_ENV, **{key: value for key, value in self.env().items() if key != "ANTIFREEZE_SHARED"}, **(env or {})}
        return super().server(name, image, gated=False, env=environment, Runtime=runtime, **options)

    def binds(self) -> list[str]:
        return [f"{self.gpu_dir}:/gpu"]

    def close(self) -> None:
        if self.dir.exists():
            super().close()


@pytest.fixture(scope="module")
def engine():
    reason = dockerd.why_not()
    if reason:
        pytest.skip(reason)
    made = ShimEngine()
    try:
        made.start()
        yield made
    finally:
        made.close()


folder = docker_conftest.folder
image = docker_conftest.image


@pytest.fixture
def site(engine):
    made: list[ShimSite] = []

    def make(order: dict | None = None, **device) -> ShimSite:
        made.append(ShimSite(engine, order, **device))
        return made[-1]
    yield make
    for one in made:
        one.close()
