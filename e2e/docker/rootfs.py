"""Root file systems for containers, made here: nothing is pulled from anywhere but Debian's mirror."""

import os
import pathlib
import shutil
import subprocess
import tarfile

from lib import proc

CACHE = proc.ROOT / "build" / "e2e"
PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "images"
# A shell, its tools and what they are linked against.
BASE_PACKAGES = ["libc6", "dash", "coreutils", "libselinux1", "libpcre2-8-0", "libacl1", "libattr1", "libgmp10", "util-linux",
                 "procps"]
MUSL_LOADER = "lib/ld-musl-x86_64.so.1"


class Unavailable(Exception):
    """This image cannot be made here; the text says why."""


def _programs(root: pathlib.Path) -> None:
    for name in ("antifreeze-run", "antifreeze-run-mutants", "fakevllm"):
        shutil.copy2(proc.program(name), root / name)


def _pack(root: pathlib.Path, tar: pathlib.Path) -> pathlib.Path:
    with tarfile.open(tar, "w") as archive:
        archive.add(root, ".")
    return tar


def scratch(folder: pathlib.Path) -> pathlib.Path:
    """Nothing but the programs: no shell, no libc, no /etc/passwd."""
    root = folder / "scratch"
    root.mkdir(parents=True)
    _programs(root)
    return _pack(root, folder / "scratch.tar")


def musl(folder: pathlib.Path) -> pathlib.Path:
    """Like Alpine: programs that are linked against musl's shared library, and busybox where the host has it."""
    if not shutil.which("musl-gcc"):
        raise Unavailable("musl-gcc is not installed (musl-tools)")
    loader = pathlib.Path("/") / MUSL_LOADER
    if not loader.exists():
        raise Unavailable(f"{loader} is not installed (musl)")
    root = folder / "musl"
    for name in ("bin", "lib", "tmp"):
        (root / name).mkdir(parents=True)
    _programs(root)
    busybox = shutil.which("busybox")
    if busybox:
        shutil.copy2(busybox, root / "bin" / "busybox")
        (root / "bin" / "sh").symlink_to("busybox")
    shutil.copy2(loader.resolve(), root / MUSL_LOADER)
    compile_probe(["musl-gcc"], root / "bin" / "probe")
    return _pack(root, folder / "musl.tar")


def compile_probe(compiler: list[str], into: pathlib.Path) -> None:
    subprocess.run([*compiler, "-O1", "-Wall", "-Werror", "-o", str(into), str(PROGRAMS / "probe.c")], check=True, timeout=60)


def debian(folder: pathlib.Path) -> pathlib.Path:
    """A Debian with glibc: debootstrap's smallest one with AF_LONG=1, else the files of this host's own base packages."""
    root = folder / "debian"
    if os.environ.get("AF_LONG"):
        _debootstrap(root)
    else:
        _copy_base_packages(root)
    (root / "usr" / "local" / "bin").mkdir(parents=True, exist_ok=True)
    _programs(root)
    compile_probe(["cc"], root / "usr" / "local" / "bin" / "probe")
    return _pack(root, folder / "debian.tar")


def _debootstrap(root: pathlib.Path) -> None:
    """Takes the network and some minutes; kept in build/e2e for the next time."""
    packed = CACHE / "debian-minbase.tar"
    if not packed.exists():
        if not shutil.which("debootstrap"):
            raise Unavailable("debootstrap is not installed")
        CACHE.mkdir(parents=True, exist_ok=True)
        try:
            done = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", str(root)], capture_output=True, text=True,
                                  timeout=1800, check=False)
        except subprocess.TimeoutExpired:
            raise Unavailable("debootstrap took longer than half an hour") from None
        if done.returncode != 0:
            raise Unavailable("debootstrap failed: " + (done.stdout + done.stderr).strip().splitlines()[-1])
        shutil.rmtree(root / "var" / "cache" / "apt", ignore_errors=True)
        _pack(root, packed.with_suffix(".new")).rename(packed)
        return
    with tarfile.open(packed) as archive:
        archive.extractall(root)


def _copy_base_packages(root: pathlib.Path) -> None:
    if not shutil.which("dpkg-query"):
        raise Unavailable("this is no Debian: there is no dpkg")
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / "usr" / name).mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(f"usr/{name}")
    for package in BASE_PACKAGES:
        done = subprocess.run(["dpkg-query", "-L", package], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Unavailable(f"package {package} is not installed here")
        for line in done.stdout.splitlines():
            source = pathlib.Path(line)
            target = root / line.lstrip("/")
            if line.startswith("/usr/share/") or (source.is_dir() and not source.is_symlink()) or target.exists():
                continue
            if source.is_file() or source.is_symlink():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target, follow_symlinks=False)


def probe_path(image: str) -> str:
    return {"musl": "/bin/probe", "debian": "/usr/local/bin/probe"}[image]
