"""What the shim adds to one `create`: runc and the shim in front of it by turns, on the same bundle, in one run."""

import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "e2e"))

from lib.mounts import set_up_gate, tmpfs  # noqa: E402

ROUNDS = 60


def spec(folder: pathlib.Path) -> str:
    """What `runc spec` writes, with a server for a command."""
    if not (folder / "config.json").exists():
        subprocess.run(["runc", "spec"], cwd=folder, check=True)
    config = json.loads((folder / "config.json").read_text())
    config["process"].update(terminal=False, args=["/fakevllm", "serve", "m"],
                             env=["PATH=/bin", "NVIDIA_VISIBLE_DEVICES=all"])
    config["root"] = {"path": "rootfs", "readonly": False}
    config["linux"].pop("seccomp", None)
    return json.dumps(config)


def create(program: pathlib.Path | str, folder: pathlib.Path, text: str, name: str) -> float:
    (folder / "config.json").write_text(text)
    root = ["--root", str(folder / "state")]
    begin = time.perf_counter()
    subprocess.run([str(program), *root, "create", "--bundle", str(folder), name], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    took = time.perf_counter() - begin
    subprocess.run(["runc", *root, "delete", "--force", name], check=True, capture_output=True)
    return took * 1000


def main() -> None:
    folder = pathlib.Path(tempfile.mkdtemp(prefix="af-bench-", dir="/tmp"))
    try:
        shim = folder / "shim"
        gate = folder / "gate"
        for path in (shim, gate, folder / "rootfs"):
            path.mkdir()
        shutil.copy2(ROOT / "build/bin/fakevllm", folder / "rootfs" / "fakevllm")
        for name in ("antifreeze-runtime", "antifreeze-run"):
            shutil.copy2(ROOT / "build" / "bin" / name, shim / name)
        (shim / "settings").write_text(f"gate-dir={gate}\nlog-socket=/nonexistent\n")
        text = spec(folder)
        with tmpfs(gate):
            set_up_gate(gate)
            times: dict[str, list[float]] = {"runc": [], "antifreeze-runtime": []}
            for index in range(ROUNDS):
                times["runc"].append(create("runc", folder, text, f"p{index}"))
                times["antifreeze-runtime"].append(create(shim / "antifreeze-runtime", folder, text, f"g{index}"))
        log = (shim / "runtime.log").read_text().splitlines()
        assert len(log) == ROUNDS and all(json.loads(line)["gated"] for line in log), "it measured something else"
        differences = [gated - plain for plain, gated in zip(*times.values())]
        for name, values in times.items():
            print(f"create with {name}: median {statistics.median(values):.2f} ms")
        added = statistics.median(differences)
        print(f"added by the shim, paired: median {added:.2f} ms, {'within' if added <= 5 else 'ABOVE'} the target of 5 ms")
        sys.exit(0 if added <= 5 else 1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
